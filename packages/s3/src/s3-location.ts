import { invalid, show } from '@holdfast/core/adapter'

/** What an S3 URL says; absent where it leaves that to the SDK or the default. */
export interface S3Location {
  readonly bucket: string
  readonly prefix: string | undefined
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly pathStyle: boolean | undefined
}

const FORM = "'s3://bucket/prefix?endpoint=http://host:port&region=us-east-1&pathStyle=true'"
const KNOWN = ['endpoint', 'region', 'pathStyle']

/** Reads `s3://bucket/prefix?…`: `INVALID_ARGUMENT`. No message shows the URL: it may hold a secret. */
export function s3Location(url: unknown): S3Location {
  if (typeof url !== 'string') {
    throw invalid(
      `openS3 takes a URL as a string, such as ${FORM}, got ${show(url)}; for a client of your own call s3Storage(client, { bucket }).`,
    )
  }
  if (!/^s3:\/\//i.test(url) || !URL.canParse(url))
    throw invalid(`The URL must have the form ${FORM}.`)
  const { hostname, username, password, port, pathname, searchParams, hash } = new URL(url)
  if (username !== '' || password !== '') {
    throw invalid(
      'The URL holds a user or a password; pass credentials: { accessKeyId, secretAccessKey } instead.',
    )
  }
  if (hostname === '' || port !== '' || hash !== '') {
    throw invalid(`The URL must name a bucket, and a server by endpoint=…: ${FORM}.`)
  }
  for (const name of searchParams.keys()) {
    if (!KNOWN.includes(name))
      throw invalid(`The URL has a parameter ${show(name)}; there are ${KNOWN.join(', ')}.`)
  }
  const endpoint = searchParams.get('endpoint') ?? undefined
  if (endpoint !== undefined && !isServer(endpoint)) {
    throw invalid(
      'endpoint in the URL must be http://host:port or https://host, without user and password.',
    )
  }
  const style = searchParams.get('pathStyle') ?? undefined
  if (style !== undefined && style !== 'true' && style !== 'false') {
    throw invalid('pathStyle in the URL must be true or false.')
  }
  const prefix = pathname.replace(/^\/|\/$/g, '')
  return {
    bucket: hostname,
    prefix: prefix === '' ? undefined : prefix,
    endpoint,
    region: searchParams.get('region') ?? undefined,
    pathStyle: style === undefined ? undefined : style === 'true',
  }
}

function isServer(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
