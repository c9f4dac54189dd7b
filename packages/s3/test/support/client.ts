import { S3Client } from '@aws-sdk/client-s3'
import type { S3Service } from '@holdfast/services'

const token = (count: number) => ({
  getRetryCount: () => count,
  getRetryDelay: () => Math.random() * 10 * count,
})
/**
 * Retries as the SDK's own does, but without a ration: that of a client is used up by some hundred requests
 * which Ceph RGW answers with 500 or by hanging up, as it does where eight writers meet.
 */
const retryStrategy = {
  acquireInitialRetryToken: async () => token(0),
  async refreshRetryTokenForRetry(last: ReturnType<typeof token>, error: { errorType: string }) {
    const count = last.getRetryCount() + 1
    if (count > 9 || error.errorType === 'CLIENT_ERROR') throw new Error('that was the last try')
    return token(count)
  },
  recordSuccess() {},
}

/** A raw client for the bucket of a server. */
export function clientOf({ url, credentials }: S3Service): { client: S3Client; bucket: string } {
  const { hostname, searchParams } = new URL(url)
  const client = new S3Client({
    endpoint: searchParams.get('endpoint') ?? '',
    region: searchParams.get('region') ?? '',
    forcePathStyle: true,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    retryStrategy,
  })
  return { client, bucket: hostname }
}
