import { isRecord } from '../json.ts'

const BASE_MS = 500
const MAX_MS = 30_000
/** An endpoint that asks for longer is not waited for. */
const MAX_ASKED_MS = 120_000

const STATUSES: readonly unknown[] = [408, 409, 425, 429]
const CODES = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_)/

/**
 * How long to wait before the same model call is made again, in ms; `undefined` where that would not help.
 * The client's word (`retryable`, `retryAfterMs`) goes first, then its HTTP status and the network's code.
 */
export function retryDelay(error: unknown, attempt: number): number | undefined {
  try {
    return delayOf(error, attempt)
  } catch {
    // A foreign error may throw when it is read.
    return undefined
  }
}

function delayOf(error: unknown, attempt: number): number | undefined {
  if (!isRetryable(error)) return undefined
  const asked = isRecord(error) ? error['retryAfterMs'] : undefined
  if (typeof asked === 'number' && asked >= 0) return asked <= MAX_ASKED_MS ? asked : undefined
  // Jitter, so that many that failed together do not come back together.
  return Math.min(BASE_MS * 2 ** attempt, MAX_MS) * (0.5 + Math.random() / 2)
}

function isRetryable(error: unknown): boolean {
  if (!isRecord(error)) return false
  const { retryable, status, code, cause } = error
  if (typeof retryable === 'boolean') return retryable
  if (typeof status === 'number') return status >= 500 || STATUSES.includes(status)
  // `fetch` keeps the reason in the cause.
  return CODES.test(String(code)) || (isRecord(cause) && CODES.test(String(cause['code'])))
}
