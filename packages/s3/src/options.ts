import {
  checkFlag,
  invalid,
  knownOptions,
  type StorageSettings,
  show,
  storageSettings,
} from '@holdfast/core/adapter'
import type { Dialect } from './object-store.ts'

/** What holds of every way to a bucket. */
export interface S3EndpointOptions {
  /**
   * Find out, when opening, how the server wants its conditions, and refuse one that ignores them: some 25
   * small requests. Default true. Without it `etagQuotes` is needed.
   */
  readonly setup?: boolean | undefined
  /** With `setup: false`: whether the server wants an ETag in its quotes (AWS, versitygw) or without (Ceph RGW 16). */
  readonly etagQuotes?: boolean | undefined
  /** With `setup: false`: whether DELETE honours `If-Match` (AWS, versitygw). Default false: tombstones stay. */
  readonly conditionalDelete?: boolean | undefined
}

/** What a driver needs to know. */
export interface S3DriverOptions extends S3EndpointOptions {
  /** The bucket; it must exist. */
  readonly bucket: string
  /** How every key begins, without a slash at either end. Default `'holdfast'`. */
  readonly prefix?: string | undefined
}

/** The same, and what the storage above the driver takes. */
export interface S3StorageOptions extends S3DriverOptions, StorageSettings {}

/** Key and secret. */
export interface S3Credentials {
  /** The key's name. */
  readonly accessKeyId: string
  /** The key itself. */
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined
}

/** What `openS3` takes beside the URL. */
export interface OpenS3Options extends S3EndpointOptions, StorageSettings {
  /** Default: what the SDK finds by itself (environment, profile, role of the machine). */
  readonly credentials?: S3Credentials | undefined
}

/** Checked, with defaults. */
export interface CheckedOptions {
  readonly bucket: string
  readonly prefix: string
  /** What need not be probed. */
  readonly dialect: Dialect | undefined
  readonly storage: ReturnType<typeof storageSettings>
}

const ENDPOINT = ['setup', 'etagQuotes', 'conditionalDelete'] as const
const STORAGE = ['timeoutMs', 'attempts', 'encryption'] as const
/** With the longest id (400 bytes in hex, in parts) and a segment's name, a key stays below the 1,024 bytes of S3. */
const MAX_PREFIX_BYTES = 150

/** Checks every option before anything is sent: `INVALID_ARGUMENT`. */
export function checkOptions(options: S3StorageOptions): CheckedOptions {
  knownOptions(options, ['bucket', 'prefix', ...ENDPOINT, ...STORAGE])
  const { bucket, prefix = 'holdfast' } = options
  if (typeof bucket !== 'string' || bucket === '') {
    throw invalid(`bucket must be the name of a bucket, got ${show(bucket)}.`)
  }
  checkPrefix(prefix)
  return { bucket, prefix, dialect: dialectOf(options), storage: storageSettings(options) }
}

/** As `checkOptions`, of what `openS3` takes beside the URL. */
export function checkOpenOptions(options: OpenS3Options): void {
  knownOptions(options, ['credentials', ...ENDPOINT, ...STORAGE])
  const { credentials } = options
  if (credentials === undefined) return
  const { accessKeyId, secretAccessKey } = Object(credentials)
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw invalid('credentials must be { accessKeyId, secretAccessKey, sessionToken? }, all texts.')
  }
}

function dialectOf({
  setup = true,
  etagQuotes,
  conditionalDelete,
}: S3EndpointOptions): Dialect | undefined {
  checkFlag('setup', setup)
  if (setup) {
    if (etagQuotes === undefined && conditionalDelete === undefined) return undefined
    throw invalid(
      'etagQuotes and conditionalDelete go with setup: false; the probe finds them out.',
    )
  }
  if (etagQuotes === undefined) {
    throw invalid(
      'setup: false needs etagQuotes: true for AWS and versitygw, false for Ceph RGW 16; setup: true finds it out.',
    )
  }
  checkFlag('etagQuotes', etagQuotes)
  checkFlag('conditionalDelete', conditionalDelete ?? false)
  return { etagQuotes, conditionalDelete: conditionalDelete ?? false }
}

function checkPrefix(prefix: unknown): void {
  const fits =
    typeof prefix === 'string' &&
    /^[\w.\-/]*$/.test(prefix) &&
    prefix.length <= MAX_PREFIX_BYTES &&
    // A gateway over a file system reads them as folders.
    !/^\/|\/$|\/\/|(^|\/)\.{1,2}(\/|$)/.test(prefix)
  if (fits) return
  throw invalid(
    `prefix must be letters, digits, _ . - and single slashes inside, at most ${MAX_PREFIX_BYTES}, got ${show(prefix)}.`,
  )
}
