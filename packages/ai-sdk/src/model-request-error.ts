import type { ModelClientErrorDetails } from '@holdfast/core'

/**
 * A model call that failed. The message holds status and code alone: what the endpoint wrote may quote the
 * prompt or the key, and is in `cause`.
 */
export class ModelRequestError extends Error implements ModelClientErrorDetails {
  override readonly name = 'ModelRequestError'
  /** Whether the same call may work later. */
  readonly retryable: boolean
  /** How long the endpoint asked to wait, in ms. */
  declare readonly retryAfterMs?: number
  /** HTTP status. */
  declare readonly status?: number
  /** The endpoint's own code, `rate_limit_exceeded` for example. */
  declare readonly code?: string
  /** The endpoint's name for the request, for its support. */
  declare readonly requestId?: string

  constructor(
    message: string,
    details: ModelClientErrorDetails & {
      readonly retryable: boolean
      readonly code?: string
      readonly requestId?: string
      readonly cause?: unknown
    },
  ) {
    const { cause, ...said } = details
    super(message, cause === undefined ? {} : { cause })
    this.retryable = details.retryable
    Object.assign(this, said)
  }
}
