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
export interface MongodbOptions extends MongodbDriverOptions, StorageSettings {}

/** Checked, with defaults. */
export interface CheckedOptions {
  readonly sessions: string
  readonly segments: string
  readonly ttlMs: number | undefined
  readonly setup: boolean
  readonly readConcern: 'majority' | 'linearizable'
  readonly storage: ReturnType<typeof storageSettings>
}

const DRIVER = ['collection', 'ttlMs', 'setup', 'readConcern'] as const
const STORAGE = ['timeoutMs', 'attempts', 'encryption'] as const
/** Some 270 years: a date can hold it, and any sum with the clock. */
const MAX_TTL_MS = 2 ** 43

/** Checks every option before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOptions(options: MongodbOptions): CheckedOptions {
  knownOptions(options, [...DRIVER, ...STORAGE])
  const { collection = 'holdfast', ttlMs, setup = true, readConcern = 'majority' } = options
  if (typeof collection !== 'string' || !/^(?!system\.)\w[\w.-]{0,63}$/.test(collection)) {
    throw invalid(
      `collection must be 1 to 64 letters, digits, _ - and ., beginning with none of the last two, and not with "system.", got ${show(collection)}.`,
    )
  }
  if (ttlMs !== undefined) {
    checkWhole(
      'ttlMs',
      ttlMs,
      [LATE_REQUEST_MS, MAX_TTL_MS],
      'a late request may arrive until then',
    )
  }
  checkFlag('setup', setup)
  if (readConcern !== 'majority' && readConcern !== 'linearizable') {
    throw invalid(`readConcern must be 'majority' or 'linearizable', got ${show(readConcern)}.`)
  }
  return {
    sessions: `${collection}_sessions`,
    segments: `${collection}_segments`,
    ...{ ttlMs, setup, readConcern },
    storage: storageSettings(options),
  }
}
