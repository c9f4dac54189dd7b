import type { IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { S3ServiceException } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bareError } from '../src/bare-error.ts'
import { openS3, s3Driver, s3Storage } from '../src/index.ts'
import { Double } from './support/double.ts'

const TOKEN = 'session-token-that-no-log-may-show'
const KNOWN = { setup: false, etagQuotes: true, conditionalDelete: true } as const

let double: Double
beforeEach(async () => {
  double = await Double.start()
  double.honours = ['if-match', 'if-none-match']
})
afterEach(() => double.stop())

const tokenOf = ({ headers }: IncomingMessage) => String(headers['x-amz-security-token'])

/** What AWS documents that it answers, with what it got. */
const BODIES = {
  InvalidToken: (request: IncomingMessage) => ({
    status: 400,
    body: `<?xml version="1.0"?><Error><Code>InvalidToken</Code><Message>The provided token is malformed or otherwise invalid.</Message><Token-0>${tokenOf(request)}</Token-0><RequestId>1</RequestId></Error>`,
  }),
  ExpiredToken: (request: IncomingMessage) => ({
    status: 400,
    body: `<?xml version="1.0"?><Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message><Token-0>${tokenOf(request)}</Token-0></Error>`,
  }),
  SignatureDoesNotMatch: (request: IncomingMessage) => ({
    status: 403,
    body: `<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match.</Message><AWSAccessKeyId>double</AWSAccessKeyId><StringToSign>${tokenOf(request)}</StringToSign><SignatureProvided>${tokenOf(request)}</SignatureProvided><CanonicalRequest>PUT\n/x\n\nx-amz-security-token:${tokenOf(request)}\n</CanonicalRequest></Error>`,
  }),
  // No XML: the SDK keeps the whole answer.
  SyntaxError: (request: IncomingMessage) => ({ status: 403, body: `<${tokenOf(request)}` }),
}

function expectBare(error: unknown): void {
  const shown = [
    inspect(error, { showHidden: true, depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(error),
    JSON.stringify(Object(error).cause ?? null),
    String(Object(error).stack),
  ]
  for (const text of shown) expect(text).not.toContain(TOKEN)
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

describe.each(Object.entries(BODIES))('%s, which repeats the session token', (name, answer) => {
  const cause = name === 'SyntaxError' ? {} : { name, Code: name, $fault: 'client' }

  it('at opening: is shown without it', async () => {
    double.before = answer
    const { port } = new URL(double.endpoint)
    const url = `s3://b?endpoint=http://127.0.0.1:${port}&region=us-east-1&pathStyle=true`
    const credentials = { accessKeyId: 'a', secretAccessKey: 's', sessionToken: TOKEN }
    const error = await failure(openS3(url, { credentials }))
    expect(error).toMatchObject({
      code: 'STORAGE_FAILED',
      cause: { ...cause, $metadata: { attempts: 1, httpStatusCode: expect.any(Number) } },
    })
    expectBare(error)
  })

  it('at each use: is shown without it', async () => {
    const client = double.client(1, TOKEN)
    const storage = await s3Storage(client, { bucket: 'b', ...KNOWN })
    await storage.memory('one').addUserInput('hello')
    double.before = answer
    for (const use of [
      () => storage.memory('one').addUserInput('more'),
      () => storage.memory('one').getItems(),
      () => storage.listMemories(),
      () => storage.deleteMemory('one'),
      () => storage.purge(),
    ]) {
      const error = await failure(use())
      expect(error).toMatchObject({ code: 'STORAGE_FAILED', cause })
      expectBare(error)
    }
  })
})

describe('the error of a client of your own', () => {
  const request = { headers: { 'x-amz-security-token': TOKEN } }
  const thrown = () => {
    const beneath = Object.assign(new Error('reset'), { code: 'ECONNRESET', request })
    const error = new S3ServiceException({
      ...{ name: 'SlowDown', message: 'slow', $fault: 'server', $metadata: { attempts: 3 } },
    })
    const several = Object.assign(new AggregateError([beneath, request], 'several'), { request })
    return Object.assign(error, {
      ...{ Code: 'SlowDown', $retryable: { throttling: true }, cause: several },
      ...{ $response: request, request },
    })
  }

  it('is of the same class, says the same, and keeps the errors underneath, bare as well', () => {
    const error = thrown()
    const bare = bareError(error)
    expect(bare).toBeInstanceOf(S3ServiceException)
    expect(bare).toMatchObject({
      ...{ name: 'SlowDown', message: 'slow', Code: 'SlowDown', stack: error.stack },
      ...{ $fault: 'server', $metadata: { attempts: 3 }, $retryable: { throttling: true } },
      cause: { name: 'AggregateError', errors: [{ message: 'reset', code: 'ECONNRESET' }] },
    })
    expectBare(bare)
  })

  it('stays as it is, for it may be thrown to others as well', () => {
    const error = Object.freeze(thrown())
    bareError(error)
    expect(error).toMatchObject({ $response: request, cause: { request } })
  })

  it('may be its own cause, an abortion, or no error at all', () => {
    const error = thrown()
    Object.assign(error, { cause: error })
    const bare = bareError(error)
    expect(Object(bare).cause).toBe(bare)
    const aborted = bareError(new DOMException('late', 'TimeoutError'))
    expect(aborted).toMatchObject({ name: 'TimeoutError', message: 'late' })
    expect(inspect(aborted)).toContain('late')
    expect(bareError('text')).toBe('text')
    expectBare(bareError({ name: 'SlowDown', message: 'slow', request }))
  })

  it.each(['at once', 'as a rejection', 'in the body'])('%s: is bare', async (when) => {
    const client = {
      send(): Promise<unknown> {
        const error = thrown()
        if (when === 'at once') throw error
        const transformToString = () => Promise.reject(error)
        return when === 'in the body'
          ? Promise.resolve({ Body: { transformToString } })
          : Promise.reject(error)
      },
    }
    const driver = await s3Driver(client, { bucket: 'b', ...KNOWN })
    const error = await failure(driver.read('m0:one'))
    expect(error).toMatchObject({ name: 'SlowDown' })
    expectBare(error)
  })
})
