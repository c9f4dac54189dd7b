import { S3Client } from '@aws-sdk/client-s3'
import type { S3Service } from '@holdfast/services'

/** A raw client for the bucket of a server. */
export function clientOf({ url, credentials }: S3Service): { client: S3Client; bucket: string } {
  const { hostname, searchParams } = new URL(url)
  const client = new S3Client({
    endpoint: searchParams.get('endpoint') ?? '',
    region: searchParams.get('region') ?? '',
    forcePathStyle: true,
    credentials,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  return { client, bucket: hostname }
}
