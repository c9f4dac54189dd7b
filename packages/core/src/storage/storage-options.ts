import type { Encryption } from '../encryption.ts'
import { checkMethods, invalid, show } from '../errors.ts'

const MAX_TIMEOUT_MS = 2_147_483_647

/** How a storage works with its driver: what every adapter passes on. */
export interface StorageSettings {
  /** How long one call of the driver may take, in ms. Default 15,000. */
  readonly timeoutMs?: number | undefined
  /** How often one operation is tried in all after conflicts and transient errors, within 30 s. Default: no bound. */
  readonly attempts?: number | undefined
  /** Encrypts every entry, and the metadata of sessions in their heads. Default: none. */
  readonly encryption?: Encryption | undefined
}

/** The settings among an adapter's options, with their defaults; wrong ones are `INVALID_ARGUMENT`. */
export function storageSettings({ timeoutMs = 15_000, attempts, encryption }: StorageSettings) {
  if (!Number.isFinite(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw invalid(`timeoutMs must be from 1 to ${MAX_TIMEOUT_MS}, got ${show(timeoutMs)}.`)
  }
  const whole = Number.isSafeInteger(attempts) && Number(attempts) >= 1
  if (attempts !== undefined && attempts !== Infinity && !whole) {
    throw invalid(`attempts must be a whole number of at least 1, got ${show(attempts)}.`)
  }
  if (encryption !== undefined) checkMethods('encryption', encryption, ['encrypt', 'decrypt'])
  return { timeoutMs, attempts: attempts ?? Infinity, encryption }
}
