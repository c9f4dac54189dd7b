/**
 * The wait in ms that an answer's headers ask for: `retry-after-ms`, else `retry-after` in seconds or as an
 * HTTP date. `undefined` where there is none that can be read; a date in the past is 0.
 */
export function retryAfterMs(
  header: (name: string) => string | null | undefined,
  now: () => number = Date.now,
): number | undefined {
  const ms = amount(header('retry-after-ms'))
  if (ms !== undefined) return ms
  const text = header('retry-after')
  const seconds = amount(text)
  if (seconds !== undefined) return Math.round(seconds * 1_000)
  // Without letters it is no HTTP date; `Date.parse` would read '-5' as a month of 2001.
  const date = text && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isFinite(date) ? Math.max(0, date - now()) : undefined
}

const amount = (text: string | null | undefined): number | undefined =>
  text && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
