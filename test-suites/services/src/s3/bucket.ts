import { type S3Credentials, s3Place } from './s3-service.ts'

const EXISTS = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'])
const ANSWER_MS = 5_000

/** Makes the bucket that `url` names unless it exists. Rejects where the server does not answer. */
export async function makeBucket(url: string, credentials: S3Credentials): Promise<void> {
  const { CreateBucketCommand, HeadBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const { bucket, endpoint, region, pathStyle } = s3Place(url)
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    forcePathStyle: pathStyle,
    credentials,
    maxAttempts: 1,
    requestHandler: { requestTimeout: ANSWER_MS },
  })
  try {
    await client.send(new HeadBucketCommand({ Bucket: bucket }))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'NotFound')) throw error
    await client.send(new CreateBucketCommand({ Bucket: bucket })).catch((failure: unknown) => {
      // Somebody else was quicker.
      if (!(failure instanceof Error && EXISTS.has(failure.name))) throw failure
    })
  } finally {
    client.destroy()
  }
}
