import { createStorage, type Encryption, HoldfastError, type SessionDriver } from '@holdfast/core'

/** What a driver needs to know. */
export interface MongodbDriverOptions {
  /**
   * Where to keep everything: the beginning of the names of two collections. Letters, digits, `_`, `-` and
   * `.`, at most 64. Default `'holdfast'`: `holdfast_sessions` and `holdfast_segments`.
   */
  readonly collection?: string | undefined
  /**
   * How long a session lives after its last write, in ms, at least 600,000. It expires whole, deleted
   * ones too. Default: for ever.
   */
  readonly ttlMs?: number | undefined
  /**
   * Make missing collections and indexes, and try whether the server keeps its promises, when opening.
   * Default true; turn it off where the user of the database may not.
   */
  readonly setup?: boolean | undefined
  /**
   * `'majority'` (the default) sees every acknowledged write, except that a primary which has been replaced
   * and has not noticed yet answers its own last state, for some seconds. `'linearizable'` makes the
   * primary ask the majority at each read first: no exception, one more round trip inside the replica set.
   */
  readonly readConcern?: 'majority' | 'linearizable' | undefined
}

/** The same, and what the storage above the driver takes. */
export interface MongodbOptions extends MongodbDriverOptions {
  /** How long one call of the server may take, in ms. Default 15,000. */
  readonly timeoutMs?: number | undefined
  /** How often one operation is tried after conflicts and transient errors, within 30 s. Default: no bound. */
  readonly attempts?: number | undefined
  /** Encrypts every entry. Default: none. */
  readonly encryption?: Encryption | undefined
}

export interface CheckedOptions {
  readonly sessions: string
  readonly segments: string
  readonly ttlMs: number | undefined
  readonly setup: boolean
  readonly readConcern: 'majority' | 'linearizable'
  readonly timeoutMs: number
  /** As `createStorage` takes them: without the absent ones. */
  readonly storage: { timeoutMs?: number; attempts?: number; encryption?: Encryption }
}

const NAMES = [
  'collection',
  'ttlMs',
  'setup',
  'readConcern',
  'timeoutMs',
  'attempts',
  'encryption',
] as const
/** A late request may land for this long: what it would bring back must not have expired by then. */
const MIN_TTL_MS = 600_000
/** A date of MongoDB holds more; this is some 270 years, and any sum with the clock stays exact. */
const MAX_TTL_MS = 2 ** 43

const invalid = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)

/** Checks every option before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOptions(options: MongodbOptions = {}): CheckedOptions {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw invalid('options must be an object, such as { collection: "holdfast" }.')
  }
  const unknown = Object.keys(options).find((name) => !NAMES.some((known) => known === name))
  if (unknown !== undefined) {
    throw invalid(`There is no option ${JSON.stringify(unknown)}; there are ${NAMES.join(', ')}.`)
  }
  const { collection = 'holdfast', ttlMs, setup = true, readConcern = 'majority' } = options
  const { timeoutMs, attempts, encryption } = options
  if (
    typeof collection !== 'string' ||
    !/^(?!system\.)[A-Za-z0-9_][\w.-]{0,63}$/.test(collection)
  ) {
    throw invalid(
      'collection must be 1 to 64 of the characters A-Z a-z 0-9 _ - and ., must not begin with - or . and not with "system.".',
    )
  }
  const wholeMs = Number.isInteger(ttlMs) && Number(ttlMs) >= MIN_TTL_MS
  if (ttlMs !== undefined && !(wholeMs && ttlMs <= MAX_TTL_MS)) {
    throw invalid(
      `ttlMs must be a whole number of milliseconds from ${MIN_TTL_MS} (a late request may arrive until then) to ${MAX_TTL_MS}.`,
    )
  }
  if (typeof setup !== 'boolean') throw invalid(`setup must be true or false, got ${typeof setup}.`)
  if (readConcern !== 'majority' && readConcern !== 'linearizable') {
    throw invalid("readConcern must be 'majority' or 'linearizable'.")
  }
  const storage = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(attempts !== undefined && { attempts }),
    ...(encryption !== undefined && { encryption }),
  }
  // Core owns the rules of its options: a storage over nothing asks it, before a server is touched.
  createStorage(nothing, storage)
  return {
    sessions: `${collection}_sessions`,
    segments: `${collection}_segments`,
    ttlMs,
    setup,
    readConcern,
    timeoutMs: Math.ceil(timeoutMs ?? 15_000),
    storage,
  }
}

const nothing: SessionDriver = {
  read: async () => null,
  replace: async () => false,
  list: async () => [],
}
