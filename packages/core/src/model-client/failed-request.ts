import { type FailureDetails, RequestFailure } from './model-request-error.ts'

/** A failure in one sentence: what happened, its status and code. The rest is in the cause. */
export function failedRequest(
  what: string,
  details: FailureDetails,
  cause: unknown,
): RequestFailure {
  const { status, code } = details
  const names = [status && `status ${status}`, code].filter(Boolean).join(', ')
  return new RequestFailure(`${what}${names && ` (${names})`}; see the cause.`, {
    ...details,
    cause,
  })
}

/** The stream ended before the answer did. */
export const cutStream = (cause?: unknown): RequestFailure =>
  new RequestFailure('The stream ended before the answer was complete.', { retryable: true, cause })
