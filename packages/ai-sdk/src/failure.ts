import { HoldfastError } from '@holdfast/core'
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

/** Answers that a provider could not read: cut, or garbled on the way. */
const GARBLED = /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContent)/

/** The stream ended before the answer did. */
export const cutStream = (cause?: unknown): RequestFailure =>
  new RequestFailure('The stream ended before the answer was complete.', {
    retryable: true,
    cause,
  })

/**
 * What a failed call is thrown as: the signal's reason once it is aborted, else a `ModelRequestError` with
 * the provider's error as its cause. Goes by the shape of the AI SDK's errors, never by class: each provider
 * may bring its own copy.
 */
export function requestError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof RequestFailure || error instanceof HoldfastError) return error
  if (!isRecord(error)) return failed('The provider reported an error', { retryable: true }, error)
  if (typeof error['isRetryable'] === 'boolean') return callFailed(error)
  if (GARBLED.test(textOf(error['name']))) {
    return failed('The answer could not be read', { retryable: true }, error)
  }
  // Of the AI SDK itself: a setting, a key, a prompt that the provider cannot carry.
  if (/^AI_/.test(textOf(error['name']))) return failed(textOf(error['name']), final, error)
  if (error instanceof Error) {
    const code = platformCode(error)
    return failed('The request failed', { retryable: isNetwork(error), code }, error)
  }
  return reported(error)
}

const final = { retryable: false }

/** An `APICallError`. */
function callFailed(error: Record<string, unknown>): RequestFailure {
  const { statusCode, isRetryable, responseHeaders: headers, data } = error
  const header = (name: string) => (isRecord(headers) ? textOf(headers[name]) : '')
  const body = isRecord(data) && isRecord(data['error']) ? data['error'] : {}
  const code = codeWord(body)
  // It was answered, but what came could not be read.
  const garbled = typeof statusCode === 'number' && statusCode < 300
  const said = garbled && errorIn(textOf(error['responseBody']))
  if (said) return reported(said, error, PASSING)
  const quota = /insufficient_quota|billing/.test(`${textOf(body['code'])} ${textOf(body['type'])}`)
  const later = (isRetryable === true && !isSetup(error)) || statusCode === 425
  return failed(
    garbled ? 'The answer could not be read' : 'The endpoint refused the request',
    {
      retryable: garbled || (later && !quota),
      retryAfterMs: retryAfterMs(header),
      status: garbled || typeof statusCode !== 'number' ? undefined : statusCode,
      code: code ?? platformCode(error),
      requestId: header('x-request-id') || undefined,
    },
    error,
  )
}

/** The error that some endpoints answer with status 200 in place of the answer. */
function errorIn(text: string): Record<string, unknown> | undefined {
  try {
    const { error } = Object(JSON.parse(text))
    return isRecord(error) ? error : textOf(error) ? { message: error } : undefined
  } catch {
    return undefined
  }
}

/**
 * An error as the provider's stream told it. One that had begun to answer had accepted the request, so
 * another try may help unless its word says otherwise; with `passing`, only where its word says that.
 */
function reported(
  body: Record<string, unknown>,
  cause: unknown = body,
  passing = /(?:)/,
): RequestFailure {
  const inner = isRecord(body['error']) ? body['error'] : body
  const number = Number(inner['code'] ?? inner['status'] ?? inner['statusCode'])
  const status = number >= 400 && number < 600 ? number : undefined
  const words = `${textOf(inner['code'])} ${textOf(inner['type'])}`
  const later =
    status === undefined
      ? passing.test(words)
      : [408, 409, 425, 429].includes(status) || status >= 500
  return failed(
    'The provider reported an error',
    { retryable: later && !FINAL.test(words), status, code: codeWord(inner) },
    cause,
  )
}

function failed(what: string, details: FailureDetails, cause: unknown): RequestFailure {
  const { status, code } = details
  const names = [status && `status ${status}`, code].filter(Boolean).join(', ')
  return new RequestFailure(`${what}${names && ` (${names})`}; see the cause.`, {
    ...details,
    cause,
  })
}
