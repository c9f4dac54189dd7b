import type { ModelClientErrorDetails } from '../contracts/model-client.ts'

/**
 * A model call that failed. The message holds status and code alone: what the endpoint wrote may quote the
 * prompt or the key, and is in `cause`.
 */
export interface ModelRequestError extends Error, ModelClientErrorDetails {
  /** Always `ModelRequestError`. */
  readonly name: 'ModelRequestError'
  /** Whether the same call may work later. */
  readonly retryable: boolean
  /** The endpoint's own code, `rate_limit_exceeded` for example. */
  readonly code?: string
  /** The endpoint's name for the request, for its support. */
  readonly requestId?: string
  /** What the client threw, or what the endpoint reported. */
  readonly cause?: unknown
}

/** What is known of a failure. */
export interface FailureDetails {
  /** Whether the same call may work later. */
  readonly retryable: boolean
  /** The wait that the endpoint asked for, in ms. */
  readonly retryAfterMs?: number | undefined
  /** The HTTP status. */
  readonly status?: number | undefined
  /** The endpoint's own code, or the platform's. */
  readonly code?: string | undefined
  /** The endpoint's name for the request. */
  readonly requestId?: string | undefined
  /** What the client threw, or what the endpoint reported. */
  readonly cause?: unknown
}

/** The class is not public: its name and its properties say what it is, `instanceof` would not. */
export class RequestFailure extends Error implements ModelRequestError {
  /** Always `ModelRequestError`. */
  override readonly name = 'ModelRequestError'
  declare readonly retryable: boolean
  declare readonly retryAfterMs?: number
  declare readonly status?: number
  declare readonly code?: string
  declare readonly requestId?: string

  constructor(message: string, { cause, ...details }: FailureDetails) {
    super(message, cause === undefined ? {} : { cause })
    // What is not known is no property at all.
    const known = Object.entries(details).filter(([, value]) => value !== undefined)
    Object.assign(this, Object.fromEntries(known))
  }
}
