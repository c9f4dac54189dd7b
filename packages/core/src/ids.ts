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

/** Orders texts by their UTF-8 bytes, which is the order of their code points. */
export function compareUtf8(a: string, b: string): number {
  const left = a[Symbol.iterator]()
  const right = b[Symbol.iterator]()
  for (;;) {
    const one = left.next()
    const other = right.next()
    if (one.done || other.done) return Number(other.done ?? false) - Number(one.done ?? false)
    if (one.value !== other.value) {
      return (one.value.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0)
    }
  }
}

const MAX_LIMIT = 1_000

/** Refuses what cannot be the size of a page. */
export function checkLimit(limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}, got ${show(limit)}.`)
  }
}

/** 64 random bits as a name. */
export const randomName = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join('')
