import { createStorage, type Storage } from '@holdfast/core'
import { checkOpenOptions, checkOptions, type OpenS3Options } from './options.ts'
import { s3Location } from './s3-location.ts'
import { connectDriver, loadSdk } from './s3-storage.ts'

/** How long a connection may take, in ms. */
const CONNECT_MS = 5_000

/**
 * Opens a bucket by its URL. The storage owns the client: `storage.close()` ends it.
 *
 * - `s3://bucket`, `s3://bucket/prefix`: on AWS, with the region that the SDK finds.
 * - `s3://bucket/prefix?endpoint=http://host:port&region=us-east-1&pathStyle=true`: any server that
 *   speaks S3 and honours conditional writes. `pathStyle=true`: it has no name for each bucket.
 *
 * The key comes by `credentials`, or by what the SDK finds itself; never by the URL.
 *
 * Errors: `INVALID_ARGUMENT` (URL, options, or the package to install, with the line that does it),
 * `UNSUPPORTED` (the server ignores conditional writes), `STORAGE_FAILED` (it cannot be reached, or refuses).
 */
export async function openS3(url: string, options: OpenS3Options = {}): Promise<Storage> {
  const { bucket, prefix, endpoint, region, pathStyle } = s3Location(url)
  checkOpenOptions(options)
  const { credentials, ...rest } = options
  const checked = checkOptions({ ...rest, bucket, ...(prefix !== undefined && { prefix }) })
  const { S3Client } = await loadSdk()
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle !== undefined && { forcePathStyle: pathStyle }),
    ...(credentials && {
      credentials: {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey,
        ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
      },
    }),
    // Servers other than AWS do not all know the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: checked.storage.timeoutMs,
      // Without it the SDK only warns, and the request goes on.
      throwOnRequestTimeout: true,
    },
  })
  const close = () => client.destroy()
  try {
    return createStorage(await connectDriver(client, checked), { ...checked.storage, close })
  } catch (error) {
    close()
    throw error
  }
}
