import { codeWord } from './code-word.ts'
import { failedRequest } from './failed-request.ts'
import type { RequestFailure } from './model-request-error.ts'
import { isFinal, isPassing, isRetryableStatus } from './retryable.ts'
import { type Fields, textOf } from './values.ts'

/**
 * An error inside an answer with status 200: a failed response, an event of the stream. `begun`: it had begun
 * to answer, so it had accepted the request, and another try may help unless its words say otherwise; without,
 * only where its words say so.
 */
export function reportedError(
  what: string,
  body: Fields,
  { cause = body, begun }: { readonly cause?: unknown; readonly begun: boolean },
): RequestFailure {
  // Some endpoints put a status where others put a word.
  const number = Number(body['code'] ?? body['status'] ?? body['statusCode'])
  const status = number >= 400 && number < 600 ? number : undefined
  const later = status === undefined ? begun || isPassing(body) : isRetryableStatus(status)
  return failedRequest(
    what,
    {
      retryable: later && !isFinal(body),
      code: status === undefined ? codeWord(body) : undefined,
      status,
      retryAfterMs: saidWait(textOf(body['message'])),
    },
    cause,
  )
}

/** Such an error has no headers; OpenAI writes the wait into its sentence. */
function saidWait(message: string): number | undefined {
  const [, amount, unit] = /try again in (\d+(?:\.\d+)?)\s?(ms|s)\b/i.exec(message) ?? []
  if (amount === undefined) return undefined
  return Math.ceil(Number(amount) * (unit?.toLowerCase() === 's' ? 1_000 : 1))
}
