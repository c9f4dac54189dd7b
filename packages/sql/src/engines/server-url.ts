import { invalid } from '@holdfast/core/adapter'

/** A URL of a server: what stands behind its host, of which each part may be missing. */
const PARTS = /^[^:]+:\/\/[^/?#]*(?<path>[^?#]*)(?:\?(?<query>[^#]*))?(?<fragment>#.*)?$/s

/**
 * Refuses what a client would take in silence, or say back in its errors: a URL without a host's `//`, one in
 * which a special character of the password ends it, so that the rest is a database or an option to the client,
 * and a port that is none, on which pg waits without end. Of the URL nothing is shown.
 */
export function checkServerUrl(url: string, example: string): void {
  const parts = PARTS.exec(url)?.groups
  if (!parts) throw unreadable(example)
  const { path = '', query = '', fragment = '' } = parts
  const pairs = query.split('&').map((pair) => pair.split('='))
  const cutShort =
    fragment !== '' || [path, ...pairs.map(([name = '']) => name)].join().includes('@')
  const noPort = pairs.some(
    ([name, value = '']) => name === 'port' && !/^\d{1,5}(,\d{1,5})*$/.test(value),
  )
  if (cutShort || noPort) throw unreadable(example)
}

/**
 * What a client makes of a URL, in the first call that reads it. The client's own error holds the URL, or the
 * part that it did not understand, and is not passed on: not as a cause either.
 */
export function readable<T>(example: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw unreadable(example)
  }
}

const unreadable = (example: string) =>
  invalid(
    `The URL, or what one of its parameters names, cannot be read: use one like '${example}', with every special character of its parts escaped by encodeURIComponent.`,
  )
