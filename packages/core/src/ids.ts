import { invalid, show } from './errors.ts'

const MAX_BYTES = 255

/** How many bytes `text` takes as UTF-8. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length

/**
 * Refuses what cannot be the id of a session or the name of a scope: it is non-blank, well-formed
 * Unicode without control characters (Unicode Cc), at most 255 bytes as UTF-8. Every other string is
 * an id, byte for byte.
 */
export function checkId(id: unknown, what: string): string {
  if (typeof id !== 'string') throw invalid(`${what} must be a string, got ${show(id)}.`)
  if (id.trim() === '') throw invalid(`${what} is blank; give it at least one visible character.`)
  // With the `u` flag, Cs matches lone surrogates alone.
  if (/[\p{Cc}\p{Cs}]/u.test(id)) {
    throw invalid(
      `${what} ${show(id)} has a control character or half a surrogate pair; remove it.`,
    )
  }
  if (utf8Length(id) > MAX_BYTES) {
    throw invalid(`${what} ${show(id)} is longer than ${MAX_BYTES} bytes of UTF-8; shorten it.`)
  }
  return id
}
