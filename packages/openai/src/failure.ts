import {
  codeWord,
  failedRequest,
  isNetwork,
  isQuota,
  isRecord,
  isRetryableStatus,
  isSetup,
  platformCode,
  RequestFailure,
  reportedError,
  retryAfterMs,
  textOf,
} from '@holdfast/core/model-client'

const REPORTED = 'The endpoint reported an error'

/** The endpoint answered something else than what its API says. */
export const unreadable = (what: string, cause?: unknown): RequestFailure =>
  new RequestFailure(`The endpoint's answer has no ${what}.`, { retryable: true, cause })

/**
 * What a failed request is thrown as: the signal's reason once it is aborted, else a `ModelRequestError`
 * with the SDK's error as its cause. Goes by the shape of the SDK's errors, never by class: the client may
 * come from another copy of the SDK.
 */
export function requestError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof RequestFailure) return error
  if (!isRecord(error)) return failedRequest('The request failed', { retryable: false }, error)
  const { status, error: body } = error
  if (typeof status === 'number') return refused(status, error)
  // An event of the stream that says what went wrong.
  if (body != null) return reported(Object(body), error)
  // Data that is no JSON.
  const garbled = error instanceof SyntaxError || error['type'] === 'invalid-json'
  const what = garbled ? 'The answer could not be read' : 'The request failed'
  const retryable = garbled || isConnection(error)
  return failedRequest(what, { retryable, code: platformCode(error) }, error)
}

/**
 * A connection that failed or took too long. The SDK's errors have a status, here without a value; what
 * breaks behind the head of an answer is let through as `fetch` (node-fetch in version 4) throws it.
 */
const isConnection = (error: Record<string, unknown>): boolean =>
  isNetwork(error) || ('status' in error && !isSetup(error))

/** Throws the error that some endpoints answer with status 200 in place of the answer. */
export function throwAnswered(answer: Record<string, unknown>): void {
  const { error } = answer
  if (isRecord(error) || textOf(error)) {
    throw reportedError(REPORTED, Object(error), { cause: answer, begun: false })
  }
}

/** An error that the endpoint reports behind the head of an answer. */
export const reported = (body: Record<string, unknown>, cause: unknown = body): RequestFailure =>
  reportedError(REPORTED, body, { cause, begun: true })

function refused(status: number, error: Record<string, unknown>): RequestFailure {
  const header = headerOf(error['headers'])
  const code = codeWord(error)
  const told = header('x-should-retry')
  const requestId = header('x-request-id') ?? undefined
  return failedRequest(
    'The endpoint refused the request',
    {
      retryable:
        told === 'true' || (told !== 'false' && isRetryableStatus(status) && !isQuota(error)),
      retryAfterMs: retryAfterMs(header),
      status,
      code,
      requestId,
    },
    error,
  )
}

/** Headers are a `Headers` in newer SDKs, a plain object in version 4. */
function headerOf(headers: unknown): (name: string) => string | null {
  if (!isRecord(headers)) return () => null
  const { get } = headers
  if (typeof get === 'function') return (name) => get.call(headers, name)
  return (name) => (typeof headers[name] === 'string' ? headers[name] : null)
}
