import { S3Client } from '@aws-sdk/client-s3'
import { s3Storage } from '@holdfast/s3'
import type { S3Credentials, S3Service } from '@holdfast/services'
import { bareS3, S3_APPEND } from '../bare/s3.ts'
import type { Engine } from '../engine.ts'
import { freshName } from '../fresh-name.ts'
import { versionOf } from '../versions.ts'
import { throughProxy } from '../wire.ts'

interface Place {
  readonly bucket: string
  readonly region: string
  readonly forcePathStyle: boolean
  readonly credentials: S3Credentials
  readonly prefix: string
}

async function open(endpoint: string, { bucket, prefix, ...settings }: Place) {
  const client = new S3Client({
    endpoint,
    ...settings,
    // Ceph RGW refuses the checksums that the client adds by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return {
    storage: await s3Storage(client, { bucket, prefix }),
    bare: await bareS3(client, bucket, `${prefix}-bare`),
    close: async () => client.destroy(),
  }
}

/** @param name What the server is called in the table. */
export const s3Engine =
  (name: string) =>
  async ({ url, version, credentials }: S3Service): Promise<Engine> => {
    const { hostname: bucket, searchParams } = new URL(url)
    const endpoint = searchParams.get('endpoint')
    if (endpoint === null)
      throw new Error('The benchmarks need the URL of a bucket with its endpoint.')
    const place = {
      bucket,
      region: searchParams.get('region') ?? 'us-east-1',
      forcePathStyle: searchParams.get('pathStyle') === 'true',
      credentials,
      prefix: freshName(),
    }
    return {
      name: `S3, ${name}`,
      version: `${version}, ${versionOf('@aws-sdk/client-s3')}`,
      bareAppend: S3_APPEND,
      goals: { append: 1.3, roundTrips: 1 },
      ...(await open(endpoint, place)),
      wired: () => throughProxy(endpoint, (proxied) => open(proxied, place)),
    }
  }
