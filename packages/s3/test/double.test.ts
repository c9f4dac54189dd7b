import { createStorage } from '@holdfast/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3Driver, s3Storage } from '../src/index.ts'
import { Double } from './support/double.ts'

let double: Double

beforeEach(async () => {
  double = await Double.start()
})
afterEach(() => double.stop())

describe('a server that ignores conditions', () => {
  it.each([
    ['all of them', [], /8 of 8 writers .* If-None-Match/],
    ['If-Match', ['if-none-match'], /8 of 8 writers .* If-Match/],
    ['If-None-Match', ['if-match'], /8 of 8 writers .* If-None-Match/],
  ] as const)('%s: is refused, and nothing is left on it', async (_, honours, message) => {
    double.honours = honours
    await expect(s3Driver(double.client(), { bucket: 'b' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(message),
    })
    expect(double.keys).toEqual([])
  })

  it('refuses every condition: is refused', async () => {
    double.honours = ['if-none-match']
    double.before = ({ headers }) =>
      headers['if-match'] === undefined ? undefined : { status: 412, code: 'PreconditionFailed' }
    await expect(s3Driver(double.client(), { bucket: 'b' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
    expect(double.keys).toEqual([])
  })
})

describe('a server that honours them', () => {
  beforeEach(() => {
    double.honours = ['if-match', 'if-none-match']
  })

  it.each([
    ['409 ConditionalRequestConflict', 409, 'ConditionalRequestConflict'],
    ['503 SlowDown', 503, 'SlowDown'],
    ['500 InternalError', 500, 'InternalError'],
  ])('%s: is tried again, and every item is there once', async (_, status, code) => {
    const driver = await s3Driver(double.client(), { bucket: 'b' })
    let writes = 0
    double.before = ({ method }) =>
      method === 'PUT' && ++writes % 3 !== 0 ? { status, code } : undefined
    const memory = createStorage(driver).memory('one')
    for (let at = 0; at < 10; at++) await memory.addUserInput(`${at}`)
    expect(JSON.stringify(await memory.getItems()).match(/"text":"\d"/g)).toEqual(
      Array.from({ length: 10 }, (_, at) => `"text":"${at}"`),
    )
  })

  it('answers 409 to writers that meet while it is probed: a race that nobody won is run again', async () => {
    let conflicts = 12
    double.before = ({ method }) =>
      method === 'PUT' && conflicts-- > 0
        ? { status: 409, code: 'ConditionalRequestConflict' }
        : undefined
    await expect(s3Driver(double.client(), { bucket: 'b' })).resolves.toBeDefined()
  })

  it('does not know If-Match on DELETE: tombstones stay', async () => {
    double.before = ({ method, headers }) =>
      method === 'DELETE' && headers['if-match'] !== undefined
        ? { status: 501, code: 'NotImplemented' }
        : undefined
    expect((await s3Driver(double.client(), { bucket: 'b' })).delete).toBeUndefined()
  })

  it.each([
    [403, 'AccessDenied', 'STORAGE_FAILED', 'not-committed'],
    [413, 'EntityTooLarge', 'TOO_LARGE', 'not-committed'],
  ])('%d %s: is an error at once', async (status, code, expected, outcome) => {
    const storage = await s3Storage(double.client(), { bucket: 'b' })
    let writes = 0
    double.before = ({ method }) => {
      if (method !== 'PUT') return undefined
      writes++
      return { status, code }
    }
    await expect(storage.memory('one').addUserInput('hello')).rejects.toMatchObject({
      code: expected,
      outcome,
    })
    expect(writes).toBe(1)
  })

  it('refuses the probe: the bucket is named, the error is the cause', async () => {
    double.before = () => ({ status: 403, code: 'AccessDenied' })
    const error = await s3Driver(double.client(), { bucket: 'b' }).catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringMatching(/"b".*AccessDenied/),
      cause: { name: 'AccessDenied' },
    })
  })
})

it('is not there: STORAGE_FAILED', async () => {
  const client = double.client()
  await double.stop()
  await expect(s3Driver(client, { bucket: 'b' })).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
  })
  double = await Double.start()
})
