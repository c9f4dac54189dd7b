import { createStorage, HoldfastError, type SessionDriver, type Storage } from '@holdfast/core'
import { invalid, kindOf, Late, loadPeer, within } from '@holdfast/core/adapter'
import { segmentedDriver } from '@holdfast/core/segments'
import { Bucket, type S3ClientLike } from './bucket.ts'
import { Keys } from './keys.ts'
import { objectStore } from './object-store.ts'
import {
  type CheckedOptions,
  checkOptions,
  type S3DriverOptions,
  type S3StorageOptions,
} from './options.ts'
import { probe } from './probe.ts'

/**
 * A storage in a bucket that your own `S3Client` reaches. It closes nothing and changes no setting of the
 * client. For Ceph RGW give the client `requestChecksumCalculation: 'WHEN_REQUIRED'`.
 *
 * Errors: `INVALID_ARGUMENT` (not such a client, a wrong option, a package to install), `UNSUPPORTED` (the
 * server ignores conditional writes), `STORAGE_FAILED` (it cannot be reached, refuses, or says nothing for
 * `timeoutMs`).
 */
export async function s3Storage(client: S3ClientLike, options: S3StorageOptions): Promise<Storage> {
  const checked = checkOptions(options)
  return createStorage(await connectDriver(client, checked), checked.storage)
}

/**
 * The driver alone, over your own client: for the conformance suite, and for wrapping it before
 * `createStorage`. Errors as `s3Storage`.
 */
export async function s3Driver(
  client: S3ClientLike,
  options: S3DriverOptions,
): Promise<SessionDriver> {
  return connectDriver(client, checkOptions(options))
}

export const loadSdk = () =>
  loadPeer(() => import('@aws-sdk/client-s3'), 'npm install @aws-sdk/client-s3')

/** Probes the server unless it is said how it works. */
export async function connectDriver(
  client: S3ClientLike,
  { bucket: name, prefix, dialect, storage }: CheckedOptions,
): Promise<SessionDriver> {
  if (typeof Object(client).send !== 'function') {
    throw invalid(
      `s3Storage takes an S3Client of @aws-sdk/client-s3, got ${kindOf(client)}; for a URL call openS3(url).`,
    )
  }
  const bucket = new Bucket(client, await loadSdk(), name)
  const keys = new Keys(prefix)
  try {
    // A client waits for an answer without end, unless it is told otherwise.
    const found = dialect ?? (await within(storage.timeoutMs, probe(bucket, keys.probes)))
    return segmentedDriver(objectStore(bucket, keys, found))
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    const why = error instanceof Late ? error.message : String(Object(error).name)
    throw new HoldfastError(
      'STORAGE_FAILED',
      `The bucket ${JSON.stringify(name)} could not be tried: ${why} (see the cause).`,
      { cause: error },
    )
  }
}
