import { HoldfastError } from '@holdfast/core'
import {
  codeWord,
  failedRequest,
  isNetwork,
  isQuota,
  isRecord,
  isSetup,
  platformCode,
  RequestFailure,
  reportedError,
  retryAfterMs,
  textOf,
} from '@holdfast/core/model-client'

/** Answers that a provider could not read: cut, or garbled on the way. */
const GARBLED = /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContent)/

/**
 * What a failed call is thrown as: the signal's reason once it is aborted, else a `ModelRequestError` with
 * the provider's error as its cause. Goes by the shape of the AI SDK's errors, never by class: each provider
 * may bring its own copy.
 */
export function requestError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof RequestFailure || error instanceof HoldfastError) return error
  if (!isRecord(error)) return failedRequest(REPORTED, { retryable: true }, error)
  if (typeof error['isRetryable'] === 'boolean') return callFailed(error)
  if (GARBLED.test(textOf(error['name']))) {
    return failedRequest('The answer could not be read', { retryable: true }, error)
  }
  // Of the AI SDK itself: a setting, a key, a prompt that the provider cannot carry.
  if (/^AI_/.test(textOf(error['name']))) return failedRequest(textOf(error['name']), final, error)
  if (error instanceof Error) {
    const code = platformCode(error)
    return failedRequest('The request failed', { retryable: isNetwork(error), code }, error)
  }
  return reported(error)
}

const final = { retryable: false }
const REPORTED = 'The provider reported an error'

/** An `APICallError`. */
function callFailed(error: Record<string, unknown>): RequestFailure {
  const { statusCode, isRetryable, responseHeaders: headers, data } = error
  const header = (name: string) => (isRecord(headers) ? textOf(headers[name]) : '')
  const body = isRecord(data) && isRecord(data['error']) ? data['error'] : {}
  const code = codeWord(body)
  // It was answered, but what came could not be read.
  const garbled = typeof statusCode === 'number' && statusCode < 300
  const said = garbled && errorIn(textOf(error['responseBody']))
  if (said) return reportedError(REPORTED, said, { cause: error, begun: false })
  const later = (isRetryable === true && !isSetup(error)) || statusCode === 425
  return failedRequest(
    garbled ? 'The answer could not be read' : 'The endpoint refused the request',
    {
      retryable: garbled || (later && !isQuota(body)),
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

/** An error as the provider's stream told it. */
function reported(body: Record<string, unknown>): RequestFailure {
  const inner = isRecord(body['error']) ? body['error'] : body
  return reportedError(REPORTED, inner, { cause: body, begun: true })
}
