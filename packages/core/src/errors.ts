/** The stable codes; each has a paragraph in `docs/errors.md`. Compare `code`, never `instanceof`. */
export type HoldfastErrorCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_SERIALIZABLE'
  | 'TOO_LARGE'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'COMPRESSION_FAILED'
  | 'CORRUPT'
  | 'UNSUPPORTED'
  | 'STORAGE_FAILED'
  | 'SHARED_MEMORY'
  | 'CLOSED'
  | 'PENDING_CALLS'
  | 'LIMIT_EXCEEDED'
  | 'ABORTED'
  | 'MODEL_FAILED'

/**
 * What became of a write that failed. `unknown`: it may have been stored; repeating the call may store
 * it twice.
 */
export type WriteOutcome = 'committed' | 'not-committed' | 'unknown'

export interface HoldfastErrorDetails {
  readonly cause?: unknown
  readonly outcome?: WriteOutcome
  /** With `LIMIT_EXCEEDED`: which limit. */
  readonly limit?: string
  /** With `LIMIT_EXCEEDED`: what was done so far. */
  readonly partial?: unknown
}

/** The one error class. Its message names the value and the remedy. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: HoldfastErrorCode
  readonly outcome?: WriteOutcome
  readonly limit?: string
  readonly partial?: unknown

  constructor(code: HoldfastErrorCode, message: string, details: HoldfastErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    if (details.outcome) this.outcome = details.outcome
    if (details.limit) this.limit = details.limit
    if ('partial' in details) this.partial = details.partial
  }
}

/** `INVALID_ARGUMENT`, the most common refusal. */
export const invalid = (message: string): HoldfastError =>
  new HoldfastError('INVALID_ARGUMENT', message)

/** A value as an error message may show it: one line, short, never a whole document. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  }
  if (value === null || typeof value !== 'object') return String(value)
  return Array.isArray(value) ? `an array of ${value.length}` : 'an object'
}
