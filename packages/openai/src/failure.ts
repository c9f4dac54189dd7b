import { type FailureDetails, RequestFailure } from './model-request-error.ts'
import { retryAfterMs } from './retry-after.ts'
import { isRecord, textOf } from './values.ts'

/** Waiting changes nothing about these, whatever the status. */
const FINAL =
  /insufficient_quota|billing|invalid|unsupported|context_length|too_large|not_found|policy|authentication|permission/

/** The stream ended before the answer did. */
export const cutStream = (): RequestFailure =>
  new RequestFailure('The stream ended before the answer was complete.', { retryable: true })

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
  if (isRecord(body)) return reported(body, error)
  // Data that is no JSON.
  const garbled = error instanceof SyntaxError || error['type'] === 'invalid-json'
  const what = garbled ? 'The answer could not be read' : 'The request failed'
  return failed(what, { retryable: garbled || isConnection(error), code: codeOf(error) }, error)
}

/**
 * A connection that failed or took too long. The SDK's errors have a status, here without a value; what
 * breaks behind the head of an answer is let through as `fetch` (node-fetch in version 4) throws it.
 */
const isConnection = (error: Record<string, unknown>): boolean =>
  'status' in error ||
  error instanceof TypeError ||
  /^(E|ERR_STREAM_|UND_ERR_)[A-Z_]+$/.test(textOf(error['code']))

/** What an endpoint reports inside an answer with status 200: a failed response, an error event. */
export function reported(body: Record<string, unknown>, cause: unknown = body): RequestFailure {
  const code = codeOf(body)
  // Some endpoints put a status where others put a word.
  const number = Number(body['code'] ?? body['status'])
  const status = number >= 400 && number < 600 ? number : undefined
  const final = FINAL.test(`${textOf(body['code'])} ${textOf(body['type'])}`)
  return failed(
    'The endpoint reported an error',
    {
      retryable: status === undefined ? !final : mayRetry(status) && !final,
      code: status === undefined ? code : undefined,
      status,
      retryAfterMs: saidWait(textOf(body['message'])),
    },
    cause,
  )
}

function refused(status: number, error: Record<string, unknown>): RequestFailure {
  const header = headerOf(error['headers'])
  const code = codeOf(error)
  const told = header('x-should-retry')
  const quota = /insufficient_quota|billing/.test(`${code} ${textOf(error['type'])}`)
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

const mayRetry = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500

function failed(what: string, details: FailureDetails, cause: unknown): RequestFailure {
  const { status, code } = details
  const names = [status && `status ${status}`, code].filter(Boolean).join(', ')
  return new RequestFailure(`${what}${names && ` (${names})`}; see the cause.`, {
    ...details,
    cause,
  })
}

/** A code or type, where it is one short word: a message in its place could quote the prompt. */
function codeOf(error: Record<string, unknown>): string | undefined {
  const nested = isRecord(error['cause']) ? error['cause']['code'] : undefined
  const words = [error['code'], nested, error['type']]
  return words.find(
    (word): word is string => typeof word === 'string' && /^[\w.-]{1,60}$/.test(word),
  )
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
