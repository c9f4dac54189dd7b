import { describe, expect, it } from 'vitest'
import { openS3, s3Storage } from '../src/index.ts'
import { s3Location } from '../src/s3-location.ts'

const wrong = <T>(value: unknown) => value as T
const INVALID = { code: 'INVALID_ARGUMENT' }
const client = { send: () => Promise.reject(new Error('Nothing may be sent.')) }

describe('the URL', () => {
  it('names bucket, prefix and server', () => {
    expect(s3Location('s3://bucket')).toEqual({ bucket: 'bucket' })
    expect(
      s3Location('s3://my.bucket-1/a/b/?endpoint=http://127.0.0.1:9000&region=eu&pathStyle=true'),
    ).toEqual({
      bucket: 'my.bucket-1',
      prefix: 'a/b',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu',
      pathStyle: true,
    })
  })

  it.each([
    undefined,
    42,
    '',
    'bucket',
    'http://bucket',
    's3:bucket',
    's3://',
    's3:///x',
    's3://b:80/x',
    's3://b/x#y',
    's3://key:sesame@b/x',
    's3://b?secret=sesame',
    's3://b?endpoint=sesame',
    's3://b?endpoint=http://key:sesame@host',
    's3://b?pathStyle=yes',
    's3://b/..?region=x&pathStyle=1',
    's3://b/a//b',
    's3://b/a%20b',
    `s3://b/${'x'.repeat(151)}`,
  ])('%s: is refused, without showing it', async (url) => {
    const error = await openS3(wrong(url)).catch((thrown) => thrown)
    expect(error).toMatchObject(INVALID)
    expect(error.message).not.toContain('sesame')
  })
})

describe('options', () => {
  it.each([
    undefined,
    null,
    {},
    { bucket: '' },
    { bucket: 1 },
    { bucket: 'b', prefix: '/x' },
    { bucket: 'b', prefix: 'a/../b' },
    { bucket: 'b', prefix: 'ü' },
    { bucket: 'b', setup: 1 },
    { bucket: 'b', setup: false },
    { bucket: 'b', setup: false, etagQuotes: 'yes' },
    { bucket: 'b', setup: false, etagQuotes: true, conditionalDelete: 1 },
    { bucket: 'b', etagQuotes: true },
    { bucket: 'b', timeoutMs: 0 },
    { bucket: 'b', attempts: 0 },
    { bucket: 'b', encryption: {} },
    { bucket: 'b', credentials: {} },
    { bucket: 'b', nonsense: 1 },
  ])('%o: is refused before anything is sent', async (options) => {
    await expect(s3Storage(client, wrong(options))).rejects.toMatchObject(INVALID)
  })

  it.each([
    { credentials: 'key:secret' },
    { credentials: { accessKeyId: 'a' } },
    { bucket: 'other' },
    { setup: false },
  ])('of openS3, %o: is refused', async (options) => {
    await expect(openS3('s3://b', wrong(options))).rejects.toMatchObject(INVALID)
  })

  it.each([undefined, null, 's3://b', {}])('the client %o: is refused', async (value) => {
    await expect(s3Storage(wrong(value), { bucket: 'b' })).rejects.toMatchObject(INVALID)
  })

  it('without the probe nothing is sent until something is stored', async () => {
    const storage = await s3Storage(client, { bucket: 'b', setup: false, etagQuotes: true })
    await expect(storage.memory('one').getItems()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })
})
