import type { Service } from '../service.ts'

/** Key and secret, in the shape that the SDK takes. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** An S3 server, with a bucket that exists: `url` is `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true`. */
export interface S3Service extends Service {
  readonly credentials: S3Credentials
}

/** What an S3 URL says. */
export interface S3Place {
  readonly bucket: string
  readonly endpoint: string | undefined
  readonly region: string
  readonly pathStyle: boolean
}

/** Reads `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true`. */
export function s3Place(url: string): S3Place {
  const { hostname, searchParams } = new URL(url)
  return {
    bucket: hostname,
    endpoint: searchParams.get('endpoint') ?? undefined,
    region: searchParams.get('region') ?? 'us-east-1',
    pathStyle: searchParams.get('pathStyle') === 'true',
  }
}

/** The URL of a bucket of a server on this machine. */
export function s3Url(bucket: string, port: number): string {
  const query = new URLSearchParams({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    pathStyle: 'true',
  })
  return `s3://${bucket}/holdfast?${query}`
}

/** The same server, with its key. */
export function withCredentials(service: Service, credentials: S3Credentials): S3Service {
  return {
    url: service.url,
    version: service.version,
    owned: service.owned,
    kill: () => service.kill(),
    restart: () => service.restart(),
    stop: () => service.stop(),
    credentials,
  }
}

/** What the SDK for S3 reads of the environment to reach a service; nothing for what has no key. */
export function awsEnvironment(service: Service | S3Service): NodeJS.ProcessEnv {
  if (!('credentials' in service)) return {}
  const { accessKeyId, secretAccessKey } = service.credentials
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
}
