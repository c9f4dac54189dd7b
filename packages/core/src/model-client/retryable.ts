import { type Fields, textOf } from './values.ts'

/** Waiting changes nothing about these, whatever the status. */
const FINAL =
  /insufficient_quota|billing|invalid|unsupported|context_length|too_large|not_found|policy|authentication|permission/i

/** What an endpoint says that may be over soon. */
const PASSING =
  /rate_?limit|too_?many|overload|server_?error|internal|unavailable|time_?d?_?out|capacity|busy/i

const words = (body: Fields): string => `${textOf(body['code'])} ${textOf(body['type'])}`

/** Whether a request that was answered with this status may work later. */
export const isRetryableStatus = (status: number): boolean =>
  [408, 409, 425, 429].includes(status) || status >= 500

/** True where an error's words say that the account is empty: it has the status of a rate limit. */
export const isQuota = (body: Fields): boolean => /insufficient_quota|billing/.test(words(body))

/** True where an error's words say that the same request fails again. */
export const isFinal = (body: Fields): boolean => FINAL.test(words(body))

/** True where an error's words say that it may be over soon. */
export const isPassing = (body: Fields): boolean => PASSING.test(words(body))
