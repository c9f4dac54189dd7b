import { foundService } from '../found-service.ts'
import { makeBucket } from './bucket.ts'
import { type S3Service, s3Place, withCredentials } from './s3-service.ts'

/** What a server calls itself in the headers of its answers. */
async function nameOf(endpoint: string | undefined): Promise<string> {
  if (endpoint === undefined) return 'S3'
  const response = await fetch(endpoint)
  await response.body?.cancel()
  return response.headers.get('server') ?? 'S3'
}

/** An S3 server that runs already, with the key of the variables that every S3 tool reads. */
export async function foundS3(url: string): Promise<S3Service> {
  const accessKeyId = process.env['AWS_ACCESS_KEY_ID'] ?? ''
  const secretAccessKey = process.env['AWS_SECRET_ACCESS_KEY'] ?? ''
  if (accessKeyId === '' || secretAccessKey === '') {
    throw new Error('An S3 URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  }
  const credentials = { accessKeyId, secretAccessKey }
  await makeBucket(url, credentials)
  return withCredentials(foundService(url, await nameOf(s3Place(url).endpoint)), credentials)
}
