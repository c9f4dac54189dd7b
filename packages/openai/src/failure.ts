import { codeWord } from './code-word.ts'
import { type FailureDetails, RequestFailure } from './model-request-error.ts'
import { isNetwork, isSetup, platformCode } from './network.ts'
import { retryAfterMs } from './retry-after.ts'
import { isRecord, textOf } from './values.ts'

/** Waiting changes nothing about these, whatever the status. */
const FINAL =
  /insufficient_quota|billing|invalid|unsupported|context_length|too_large|not_found|policy|authentication|permission/i

/** What an endpoint says that may be over soon. */
const PASSING =
  /rate_?limit|too_?many|overload|server_?error|internal|unavailable|time_?d?_?out|capacity|busy/i

/** The stream ended before the answer did. */
export const cutStream = (cause?: unknown): RequestFailure =>
  new RequestFailure('The stream ended before the answer was complete.', { retryable: true, cause })

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
  if (!isRecord(error)) return failed('The request failed', { retryable: false }, error)
  const { status, error: body } = error
  if (typeof status === 'number') return refused(status, error)
  // An event of the stream that says what went wrong.
  if (body != null) return reported(Object(body), error)
  // Data that is no JSON.
  const garbled = error instanceof SyntaxError || error['type'] === 'invalid-json'
  const what = garbled ? 'The answer could not be read' : 'The request failed'
  const retryable = garbled || isConnection(error)
  return failed(what, { retryable, code: platformCode(error) }, error)
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
  if (isRecord(error) || textOf(error)) throw reported(Object(error), answer, PASSING)
}

/**
 * What an endpoint reports inside an answer with status 200: a failed response, an error event. One that
 * had begun to answer had accepted the request, so another try may help unless its word says otherwise;
 * with `passing`, only where its word says that.
 */
export function reported(
  body: Record<string, unknown>,
  cause: unknown = body,
  passing = /(?:)/,
): RequestFailure {
  // Some endpoints put a status where others put a word.
  const number = Number(body['code'] ?? body['status'])
  const status = number >= 400 && number < 600 ? number : undefined
  const words = `${textOf(body['code'])} ${textOf(body['type'])}`
  const later = status === undefined ? passing.test(words) : mayRetry(status)
  return failed(
    'The endpoint reported an error',
    {
      retryable: later && !FINAL.test(words),
      code: status === undefined ? codeWord(body) : undefined,
      status,
      retryAfterMs: saidWait(textOf(body['message'])),
    },
    cause,
  )
}

function refused(status: number, error: Record<string, unknown>): RequestFailure {
  const header = headerOf(error['headers'])
  const code = codeWord(error)
  const told = header('x-should-retry')
  const quota = /insufficient_quota|billing/.test(
    `${textOf(error['code'])} ${textOf(error['type'])}`,
  )
  const requestId = header('x-request-id') ?? undefined
  return failed(
    'The endpoint refused the request',
    {
      retryable: told === 'true' || (told !== 'false' && mayRetry(status) && !quota),
      retryAfterMs: retryAfterMs(header),
      status,
      code,
      requestId,
    },
    error,
  )
}

const mayRetry = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500

function failed(what: string, details: FailureDetails, cause: unknown): RequestFailure {
  const { status, code } = details
  const names = [status && `status ${status}`, code].filter(Boolean).join(', ')
  return new RequestFailure(`${what}${names && ` (${names})`}; see the cause.`, {
    ...details,
    cause,
  })
}

/** Headers are a `Headers` in newer SDKs, a plain object in version 4. */
function headerOf(headers: unknown): (name: string) => string | null {
  if (!isRecord(headers)) return () => null
  const { get } = headers
  if (typeof get === 'function') return (name) => get.call(headers, name)
  return (name) => (typeof headers[name] === 'string' ? headers[name] : null)
}

/** An error event has no headers; OpenAI writes the wait into its sentence. */
function saidWait(message: string): number | undefined {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?)\s?(ms|s)\b/i.exec(message) ?? []
  if (amount === undefined) return undefined
  return Math.ceil(Number(amount) * (unit?.toLowerCase() === 's' ? 1_000 : 1))
}
