import { createStorage, type SessionDriver } from '@holdfast/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3Driver, s3Storage } from '../src/index.ts'
import { Double } from './support/double.ts'

let double: Double

const textsOf = (items: unknown) =>
  [...JSON.stringify(items).matchAll(/"text":"(\w+)"/g)].map(([, text]) => text)

/** A page of a listing; `next`: the token that it goes on by, '' if it does not say which. */
const page = (keys: readonly string[], next?: string) =>
  `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${
    next ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''
  }${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}</ListBucketResult>`

/** What a listing was asked: prefix without `holdfast/`, where to begin. */
const listed = ({ url = '' }: { readonly url?: string | undefined }) => {
  const { searchParams } = new URL(url, 'http://double')
  if (searchParams.get('list-type') !== '2') return undefined
  return {
    prefix: searchParams.get('prefix')?.replace('holdfast/', ''),
    token: searchParams.get('continuation-token') ?? undefined,
    after: searchParams.get('start-after') ?? undefined,
  }
}

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

  it('and lets nothing be removed: is refused as what it is', async () => {
    double.before = ({ method }) =>
      method === 'DELETE' ? { status: 403, code: 'AccessDenied' } : undefined
    await expect(s3Driver(double.client(), { bucket: 'b' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
  })

  it('creates an object under If-Match, and lets nothing be removed: is refused as what it is', async () => {
    double.honours = ['if-match', 'if-none-match']
    double.before = ({ method, url = '' }) => {
      if (method === 'DELETE') return { status: 403, code: 'AccessDenied' }
      return method === 'PUT' && /x\?/.test(url) ? { text: '' } : undefined
    }
    await expect(s3Driver(double.client(), { bucket: 'b' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('creates an object under If-Match'),
    })
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

  it('loses its answer to each write, and the client sends it again: nothing is taken for a refusal', async () => {
    double.before = ({ method, headers }) =>
      method !== 'GET' && (headers['if-match'] || headers['if-none-match']) ? 'lost' : undefined
    const driver = await s3Driver(double.client(2), { bucket: 'b' })
    expect(double.keys).toEqual([])
    const first = await driver.replace('m0:one', { revision: 'r1', head: '{}', entries: [] }, null)
    // Core recognises it.
    expect(first).toBe(false)
    const stored = await driver.read('m0:one')
    if (!stored || stored === 'unchanged') throw new Error('It was not stored.')
    await expect(driver.delete?.('m0:one', stored)).resolves.toBe(true)
    expect(double.keys).toEqual([])
    const memory = createStorage(driver).memory('two')
    for (const text of ['a', 'b', 'c']) await memory.addUserInput(text)
    expect(textsOf(await memory.getItems())).toEqual(['a', 'b', 'c'])
  })

  describe.each([
    [400, 'InvalidRequest'],
    [403, 'AccessDenied'],
    [413, 'EntityTooLarge'],
    [501, 'NotImplemented'],
    [507, 'InsufficientStorage'],
  ])('refuses with %d a write that was sent before', (status, code) => {
    const refused = { status, code }

    /** The answers to PUTs in order, the last one for all others. */
    const play = (...answers: ReturnType<Double['before']>[]) => {
      double.before = ({ method }) =>
        method === 'PUT' ? (answers.length > 1 ? answers.shift() : answers[0]) : undefined
    }
    const blind = () => {
      const { before } = double
      double.before = (request) =>
        request.method === 'GET' ? { status: 403, code: 'AccessDenied' } : before(request)
    }
    const opened = async (attempts: number) => {
      const storage = await s3Storage(double.client(attempts), { bucket: 'b' })
      const memory = storage.memory('one')
      await memory.addUserInput('first')
      return { memory, storage }
    }

    it('and stored: it is committed, and there once', async () => {
      const { memory } = await opened(2)
      play('lost', refused)
      await memory.addUserInput('second')
      double.before = () => undefined
      expect(textsOf(await memory.getItems())).toEqual(['first', 'second'])
    })

    it('and stored, and is not read either: nobody knows', async () => {
      const { memory } = await opened(2)
      play('lost', refused)
      blind()
      await expect(memory.addUserInput('second')).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        outcome: 'unknown',
      })
      double.before = () => undefined
      expect(textsOf(await memory.getItems())).toEqual(['first', 'second'])
    })

    it('by the client, and not stored: nobody knows', async () => {
      const { memory } = await opened(2)
      play({ status: 503, code: 'SlowDown' }, refused)
      await expect(memory.addUserInput('second')).rejects.toMatchObject({ outcome: 'unknown' })
    })

    it.each([409, 500])('here, since it met others (%d): nobody knows', async (met) => {
      const { memory } = await opened(1)
      play({ status: met, code: 'Met' }, refused)
      await expect(memory.addUserInput('second')).rejects.toMatchObject({ outcome: 'unknown' })
    })
  })

  it.each([409, 500])(
    'answers %d, and refuses the look at the object: nobody knows',
    async (met) => {
      const storage = await s3Storage(double.client(), { bucket: 'b' })
      await storage.memory('one').addUserInput('first')
      double.before = ({ method }) =>
        method === 'PUT' ? { status: met, code: 'Met' } : { status: 403, code: 'AccessDenied' }
      await expect(storage.memory('one').addUserInput('second')).rejects.toMatchObject({
        outcome: 'unknown',
      })
    },
  )

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

it('never answers: opening ends at its time', async () => {
  double.before = () => 'silent'
  await expect(s3Storage(double.client(), { bucket: 'b', timeoutMs: 50 })).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringMatching(/"b".*did not answer within 50 ms/),
  })
})

describe('a listing', () => {
  const key = (kind: string, id: string) => `holdfast/${kind}/${Buffer.from(id).toString('hex')}-`
  let driver: SessionDriver
  let asked: ReturnType<typeof listed>[]

  beforeEach(async () => {
    double.honours = ['if-match', 'if-none-match']
    driver = await s3Driver(double.client(), { bucket: 'b' })
    for (const id of ['m0:a', 'm0:b', 'm0:c']) {
      await driver.replace(id, { revision: 'r', head: '{}', entries: [] }, null)
    }
    asked = []
  })

  /** Answers lists by `pages`, by the token that is asked for; without one the first. */
  const play = (pages: Record<string, string>) => {
    double.before = (request) => {
      const query = listed(request)
      if (!query) return undefined
      asked.push(query)
      return { text: pages[query.token ?? ''] ?? page([]) }
    }
  }
  const ids = async (query: { after?: string; limit: number }) =>
    (await driver.list(query)).map(({ id }) => id)

  it('goes on behind empty pages, each key once', async () => {
    play({
      '': page([], 't1'),
      t1: page([key('heads', 'm0:a')], 't2'),
      t2: page([], 't3'),
      t3: page([key('heads', 'm0:b'), key('heads', 'm0:c')]),
    })
    expect(await ids({ limit: 10 })).toEqual(['m0:a', 'm0:b', 'm0:c'])
    expect(asked.map((query) => query?.token)).toEqual([undefined, 't1', 't2', 't3'])
  })

  it('begins at the first key whatever it is asked: each key once all the same', async () => {
    const [a, b, c] = ['m0:a', 'm0:b', 'm0:c'].map((id) => key('heads', id)) as [
      string,
      string,
      string,
    ]
    play({ '': page([a, b], 't1'), t1: page([c]) })
    expect(await ids({ after: 'm0:a', limit: 1 })).toEqual(['m0:b'])
    expect(await ids({ after: 'm0:b', limit: 1 })).toEqual(['m0:c'])
    expect(await ids({ after: 'm0:c', limit: 1 })).toEqual([])
    expect(asked[0]?.after).toBe(a)
  })

  it.each([
    ['without saying where', { '': page([], '') }],
    ['without saying where, behind a key', { '': page([key('heads', 'm0:a')], '') }],
    ['at the same place', { '': page([], 't1'), t1: page([], 't1') }],
    ['in a circle', { '': page([], 't1'), t1: page([], 't2'), t2: page([], 't1') }],
  ])('goes on %s: is an error, and ends', async (_, pages) => {
    play(pages)
    await expect(ids({ limit: 10 })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(createStorage(driver).listMemories()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
  })

  it('of a sweep goes on behind empty pages and from call to call', async () => {
    play({
      '': page([], 't1'),
      t1: page([`${key('segments', 'm0:a')}/orphan1`], 't2'),
      t2: page([], 't3'),
      t3: page([`${key('segments', 'm0:b')}/orphan2`]),
    })
    const query = { after: '', before: 'n', olderThanMs: -600_000 }
    const first = await driver.sweep?.(query)
    expect(first).toEqual({ removed: 1, next: 't2' })
    expect(await driver.sweep?.({ ...query, from: 't2' })).toEqual({ removed: 1 })
  })
})
