import { createStorage, type Encryption, HoldfastError, type SessionDriver } from '@holdfast/core'

/** What a driver needs to know. */
export interface RedisDriverOptions {
  /**
   * How every key begins: text without braces and control characters, at most 100 bytes of UTF-8. It comes
   * behind the client's own `keyPrefix`. Default `'holdfast'`.
   */
  readonly prefix?: string | undefined
  /**
   * How long a session is kept after its last write, in ms, from 60,000 to 10 years; then it expires whole.
   * Each write sets it anew, and one without it makes the session stay. Default: sessions do not expire.
   */
  readonly ttlMs?: number | undefined
  /**
   * Try, when opening, whether the server and its permissions are fit for it: one script on one key, which
   * leaves nothing. Default true.
   */
  readonly setup?: boolean | undefined
}

/** The same, and what the storage above the driver takes. */
export interface RedisStorageOptions extends RedisDriverOptions {
  /** How long one call of the database may take, in ms. Default 15,000. */
  readonly timeoutMs?: number | undefined
  /** How often one operation is tried after conflicts and transient errors, within 30 s. Default: no bound. */
  readonly attempts?: number | undefined
  /** Encrypts every entry. Default: none. */
  readonly encryption?: Encryption | undefined
}

export interface CheckedOptions {
  readonly prefix: string
  readonly ttlMs: number | undefined
  readonly setup: boolean
  readonly timeoutMs: number
  /** As `createStorage` takes them: without the absent ones. */
  readonly storage: { timeoutMs?: number; attempts?: number; encryption?: Encryption }
}

const NAMES = ['prefix', 'ttlMs', 'setup', 'timeoutMs', 'attempts', 'encryption']
const MAX_PREFIX_BYTES = 100
/** A commit goes on for up to 30 s and must still find what it wrote. */
const MIN_TTL_MS = 60_000
const MAX_TTL_MS = 3_650 * 86_400_000

const invalid = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)

/** Checks every option before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOptions(options: RedisStorageOptions = {}): CheckedOptions {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw invalid('options must be an object, such as { prefix: "holdfast" }.')
  }
  const unknown = Object.keys(options).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) {
    throw invalid(`There is no option ${JSON.stringify(unknown)}; there are ${NAMES.join(', ')}.`)
  }
  const { prefix = 'holdfast', ttlMs, setup = true, timeoutMs, attempts, encryption } = options
  checkPrefix(prefix)
  if (typeof setup !== 'boolean') throw invalid(`setup must be true or false, got ${typeof setup}.`)
  const whole = Number.isInteger(ttlMs) && Number(ttlMs) >= MIN_TTL_MS
  if (ttlMs !== undefined && !(whole && ttlMs <= MAX_TTL_MS)) {
    throw invalid(
      `ttlMs must be a whole number of milliseconds from ${MIN_TTL_MS} to ${MAX_TTL_MS}: a commit goes on for up to 30 s and must find what it wrote.`,
    )
  }
  const storage = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(attempts !== undefined && { attempts }),
    ...(encryption !== undefined && { encryption }),
  }
  // Core owns the rules of its options: a storage over nothing asks it, before a server is reached.
  createStorage(nothing, storage)
  return { prefix, ttlMs, setup, timeoutMs: timeoutMs ?? 15_000, storage }
}

function checkPrefix(prefix: unknown): void {
  const fits =
    typeof prefix === 'string' &&
    prefix.trim() !== '' &&
    !/[{}\p{Cc}\p{Cs}]/u.test(prefix) &&
    Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES
  if (!fits) {
    throw invalid(
      `prefix must be a text of at most ${MAX_PREFIX_BYTES} bytes without braces and control characters, got ${typeof prefix === 'string' ? JSON.stringify(prefix.slice(0, 120)) : typeof prefix}.`,
    )
  }
}

const nothing: SessionDriver = {
  read: async () => null,
  replace: async () => false,
  list: async () => [],
}
