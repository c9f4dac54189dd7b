import { HoldfastError, invalid, kindOf } from './errors.ts'

/**
 * Turns what a storage holds into text that only the holder of a key can read. `context` names the cell:
 * bind the ciphertext to it, so that nobody who can write to the backend can move it to another session.
 * The answer is at most 4/3 of the text's UTF-8 bytes plus 64 bytes, well-formed and without U+0000.
 */
export interface Encryption {
  /**
   * The text of one entry, sealed. What it throws, or rejects with, fails the write before anything is stored.
   */
  encrypt(text: string, context: string): string | Promise<string>
  /**
   * Rejects with a `HoldfastError` of code `CORRUPT` if the text was changed, or was made with another key
   * or context. Any other rejection (a key service that is down) is reported as `STORAGE_FAILED`.
   */
  decrypt(text: string, context: string): string | Promise<string>
}

/** `CryptoKey`, by whatever name the platform's types know it. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const IV_BYTES = 12

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // In slices: the arguments of one call are limited.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(binary)
}

/**
 * AES-GCM through WebCrypto, with a random 96-bit IV per entry; one key is good for 2³² entries
 * (NIST SP 800-38D, 8.3). `key`: a `CryptoKey` for AES-GCM, or
 * its 16, 24 or 32 bytes; anything else is `INVALID_ARGUMENT`.
 */
export function aesGcm(key: Key | Uint8Array): Encryption {
  const raw = key instanceof Uint8Array
  if (raw ? ![16, 24, 32].includes(key.length) : key?.algorithm?.name !== 'AES-GCM') {
    throw invalid(
      `aesGcm needs an AES-GCM CryptoKey or 16, 24 or 32 bytes, got ${raw ? `${key.length} bytes` : kindOf(key)}.`,
    )
  }
  const { subtle } = crypto
  // Copied: the caller may wipe its bytes.
  const imported = raw
    ? subtle.importKey('raw', new Uint8Array(key), 'AES-GCM', false, ['encrypt', 'decrypt'])
    : Promise.resolve(key)
  const encoder = new TextEncoder()
  const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encoder.encode(context),
  })
  return {
    async encrypt(text, context) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const sealed = new Uint8Array(
        await subtle.encrypt(algorithm(iv, context), await imported, encoder.encode(text)),
      )
      const bytes = new Uint8Array(IV_BYTES + sealed.length)
      bytes.set(iv)
      bytes.set(sealed, IV_BYTES)
      return toBase64(bytes)
    },
    async decrypt(text, context) {
      const key = await imported
      try {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
        const opened = await subtle.decrypt(
          algorithm(bytes.slice(0, IV_BYTES), context),
          key,
          bytes.slice(IV_BYTES),
        )
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(opened)
      } catch (cause) {
        throw new HoldfastError('CORRUPT', 'The text was changed or made with another key.', {
          cause,
        })
      }
    },
  }
}
