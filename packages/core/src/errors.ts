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

/** What an error carries beside code and message. */
export interface HoldfastErrorDetails {
  /** The error underneath, as it was thrown. */
  readonly cause?: unknown
  /** On writes: what became of it. */
  readonly outcome?: WriteOutcome
  /** With `LIMIT_EXCEEDED`: which limit. */
  readonly limit?: string
  /** With `LIMIT_EXCEEDED`: what was done so far. */
  readonly partial?: unknown
}

/**
 * The one error class. Its message names what was wrong (ids and settings as they are, of any other value
 * its kind alone) and the remedy.
 */
export class HoldfastError extends Error {
  /** Always `HoldfastError`. */
  override readonly name = 'HoldfastError'
  /** What went wrong; stable, unlike the message. */
  declare readonly code: HoldfastErrorCode
  /** On writes: what became of it. */
  declare readonly outcome?: WriteOutcome
  /** With `LIMIT_EXCEEDED`: which limit. */
  declare readonly limit?: string
  /** With `LIMIT_EXCEEDED`: what was done so far. */
  declare readonly partial?: unknown

  constructor(code: HoldfastErrorCode, message: string, details: HoldfastErrorDetails = {}) {
    super(message, details)
    Object.assign(this, details, { code })
  }
}

/** `INVALID_ARGUMENT`, the most common refusal: before anything is written. */
export const invalid = (message: string): HoldfastError =>
  new HoldfastError('INVALID_ARGUMENT', message, { outcome: 'not-committed' })

/** Names the kind of a value without quoting it: what was passed may be a secret. */
export function kindOf(value: unknown): string {
  const type = typeof value
  if (value == null || type === 'number') return String(value)
  if (type === 'string') return `a string of ${(value as string).length} characters`
  if (type !== 'object') return `a ${type}`
  if (Array.isArray(value)) return `an array of ${value.length}`
  return `an instance of ${String(value.constructor?.name || 'a class')}`
}

/** An id or a setting as an error message may show it: one short line. */
export const show = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
    : kindOf(value)

/** Refuses `value`: "`what` must be `kind`, got …". */
export const wrong = (what: string, kind: string, value: unknown): HoldfastError =>
  invalid(`${what} must be ${kind}, got ${kindOf(value)}.`)

/** Options must be an object. */
export function checkOptions<T extends object>(options: T): T {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options
  throw wrong('options', 'an object', options)
}

/** As `checkOptions`, and refuses an option that does not exist: a misspelt `encryption` must not store plain text. */
export function knownOptions<T extends object>(options: T, names: readonly (keyof T)[]): T {
  for (const name of Object.keys(checkOptions(options))) {
    if (names.includes(name as keyof T)) continue
    throw invalid(`There is no option ${show(name)}; there are ${names.join(', ')}.`)
  }
  return options
}

/** Names an error by its code, status or class, without its message, which may quote what was sent. */
export function nameOf(error: unknown): string {
  try {
    const { code, status, name } = Object(error)
    const said = [code, status, name].find((word) => /^[\w.-]{1,60}$/.test(String(word ?? '')))
    return String(said ?? kindOf(error))
  } catch {
    return 'an error that cannot be read'
  }
}

/** Refuses what lacks a method of `names`, or has one of `optional` that is no function. */
export function checkMethods(
  what: string,
  value: unknown,
  names: readonly string[],
  optional: readonly string[] = [],
): void {
  for (const name of [...names, ...optional]) {
    const method: unknown = Object(value)[name]
    if (method === undefined && optional.includes(name)) continue
    if (typeof method !== 'function') {
      throw invalid(`${what} must have a method ${name}, got ${kindOf(value)}.`)
    }
  }
}
