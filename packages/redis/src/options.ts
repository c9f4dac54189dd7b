import {
  checkFlag,
  checkWhole,
  invalid,
  knownOptions,
  LATE_REQUEST_MS,
  type StorageSettings,
  show,
  storageSettings,
} from '@holdfast/core/adapter'

/** What a driver needs to know. */
export interface RedisDriverOptions {
  /**
   * How every key begins: text without braces and control characters, at most 100 bytes of UTF-8. It comes
   * behind the client's own `keyPrefix`. Default `'holdfast'`.
   */
  readonly prefix?: string | undefined
  /**
   * How long a session is kept after its last write, in ms, from 600,000 to 10 years; then it expires whole.
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
export interface RedisStorageOptions extends RedisDriverOptions, StorageSettings {}

export interface CheckedOptions {
  readonly prefix: string
  readonly ttlMs: number | undefined
  readonly setup: boolean
  readonly storage: ReturnType<typeof storageSettings>
}

const NAMES = ['prefix', 'ttlMs', 'setup', 'timeoutMs', 'attempts', 'encryption'] as const
const MAX_PREFIX_BYTES = 100
const MAX_TTL_MS = 3_650 * 86_400_000

/** Checks every option before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOptions(options: RedisStorageOptions = {}): CheckedOptions {
  const { prefix = 'holdfast', ttlMs, setup = true } = knownOptions(options, NAMES)
  checkPrefix(prefix)
  checkFlag('setup', setup)
  if (ttlMs !== undefined) {
    const because = 'a late request may arrive until then'
    checkWhole('ttlMs', ttlMs, [LATE_REQUEST_MS, MAX_TTL_MS], because)
  }
  return { prefix, ttlMs, setup, storage: storageSettings(options) }
}

function checkPrefix(prefix: unknown): void {
  const fits =
    typeof prefix === 'string' &&
    prefix.trim() !== '' &&
    !/[{}\p{Cc}\p{Cs}]/u.test(prefix) &&
    Buffer.byteLength(prefix) <= MAX_PREFIX_BYTES
  if (!fits) {
    throw invalid(
      `prefix must be a text of at most ${MAX_PREFIX_BYTES} bytes without braces and control characters, got ${show(prefix)}.`,
    )
  }
}
