/** `text` without secrets. */
export type Mask = (text: string) => string

/** What stands where a secret was. */
const HIDDEN = '[secret]'

/** Shorter values are too common to be looked for: they would be cut out of ordinary words. */
const MIN_LENGTH = 8

/**
 * Takes these secrets out of every text: the terminal, the history and the storage get them neither from an
 * endpoint that quotes the key in its error, nor from a file, nor from a command.
 */
export function maskOf(given: readonly string[]): Mask {
  const secrets = given
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= MIN_LENGTH)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}

/** Every text inside a JSON value masked, names of properties too. */
export function maskJson<T>(value: T, mask: Mask): T {
  return maskAny(value, mask) as T
}

function maskAny(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((entry) => maskAny(entry, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [mask(name), maskAny(entry, mask)]),
  )
}
