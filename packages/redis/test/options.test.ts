import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { openRedis, redisDriver, redisStorage } from '../src/index.ts'
import { addressOf } from '../src/redis-address.ts'

const invalid = { name: 'HoldfastError', code: 'INVALID_ARGUMENT', outcome: 'not-committed' }
/** What a caller without types may pass. */
const open = openRedis as (...args: unknown[]) => Promise<unknown>
const storage = redisStorage as (...args: unknown[]) => Promise<unknown>
/** Nothing listens there: whoever tries to connect fails otherwise. */
const NOWHERE = 'redis://127.0.0.1:1'

describe('openRedis refuses', () => {
  it.each([undefined, null, 7, true, []])('%s as an address', async (target) => {
    await expect(open(target)).rejects.toMatchObject(invalid)
  })

  it.each([
    '',
    'redis',
    'localhost:6379',
    'http://host',
    'redis://',
    'redis:///0',
    'redis://host:0',
    'redis://host:65536',
    'redis://host:x',
    'redis://host/x',
    'redis://host/0/1',
    'redis://a:1,b:2',
    'redis://host?db=1',
    'redis://%zz:secret@host',
    'redis-cluster://',
    'redis-cluster://a:1,',
    'redis-cluster://a:1/3',
    { nodes: [] },
    { nodes: 'a:1' },
    new URL('https://host'),
  ])('%s', async (target) => {
    await expect(open(target)).rejects.toMatchObject(invalid)
  })

  it('an address without giving away what it holds', async () => {
    for (const url of ['me:secret@host', 'http://me:secret@host', 'redis://me:secret@host/x']) {
      const error = await open(url).catch((reason: Error) => reason)
      expect(error).toMatchObject(invalid)
      expect((error as Error).message).not.toMatch(/secret/)
    }
  })

  it('a client, which is for redisStorage', async () => {
    const client = new Redis({ lazyConnect: true })
    await expect(open(client)).rejects.toMatchObject(invalid)
    client.disconnect()
  })

  const wrong: [string, unknown][] = [
    ...['', ' ', 'a{b}', 'a\n', '\ud800', 'x'.repeat(101), 7, null].map(
      (prefix): [string, unknown] => ['prefix', prefix],
    ),
    ...[0, 599_999, 600_000.5, '600000', Number.NaN, Infinity, 1e15].map(
      (ms): [string, unknown] => ['ttlMs', ms],
    ),
    ...['yes', 1, null].map((setup): [string, unknown] => ['setup', setup]),
    ['prefx', 'a'],
    ...[0, -1, Number.NaN, '5'].map((ms): [string, unknown] => ['timeoutMs', ms]),
    ...[0, 1.5, '5'].map((attempts): [string, unknown] => ['attempts', attempts]),
    ...['key', {}, 7].map((encryption): [string, unknown] => ['encryption', encryption]),
  ]
  it.each(wrong)('%s: %j, before anything is opened', async (name, value) => {
    await expect(open(NOWHERE, { [name]: value })).rejects.toMatchObject(invalid)
    const client = new Redis({ lazyConnect: true })
    await expect(storage(client, { [name]: value })).rejects.toMatchObject(invalid)
    expect(client.status).toBe('wait')
  })

  it('no ttlMs from ten minutes on', async () => {
    const client = new Redis({ lazyConnect: true })
    await redisDriver(client, { ttlMs: 600_000, setup: false })
    expect(client.status).toBe('wait')
  })

  it.each([null, 'x', 7, []])('%j as options', async (options) => {
    await expect(open(NOWHERE, options)).rejects.toMatchObject(invalid)
  })

  it('with a typed error a server that cannot be reached, and lets the process end', async () => {
    for (const url of [
      NOWHERE,
      'redis-cluster://127.0.0.1:1',
      { nodes: [{ host: '127.0.0.1', port: 1 }] },
    ]) {
      await expect(open(url, { timeoutMs: 3_000 })).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
      })
    }
  })
})

describe('an address', () => {
  it.each([
    ['redis://host', { host: 'host', port: 6379 }],
    ['redis://host/', { host: 'host', port: 6379 }],
    ['redis://host:7000/3', { host: 'host', port: 7000, db: 3 }],
    ['redis://:pass%40word@host', { host: 'host', port: 6379, password: 'pass@word' }],
    [
      'REDISS://me:a:b@[::1]:6380/0',
      { host: '::1', port: 6380, username: 'me', password: 'a:b', db: 0, tls: {} },
    ],
  ])('%s', (url, options) => {
    expect(addressOf(url)).toEqual({ kind: 'single', options })
    expect(addressOf(new URL(url))).toMatchObject({ kind: 'single' })
  })

  it('of a cluster is some of its nodes', () => {
    expect(addressOf('rediss-cluster://me:x@a:1,b')).toEqual({
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
      options: { redisOptions: { username: 'me', password: 'x', tls: {} } },
    })
    expect(addressOf({ nodes: [{ host: 'a', port: 1 }], natMap: {} })).toEqual({
      kind: 'cluster',
      nodes: [{ host: 'a', port: 1 }],
      options: { natMap: {} },
    })
  })
})

describe('redisStorage refuses', () => {
  it.each([
    undefined,
    null,
    7,
    'redis://host',
    {},
    [],
    { evalsha() {}, eval() {}, info() {} },
    { evalSha() {}, eval() {}, status: 'ready' },
  ])('%j, which is no client of ioredis', async (client) => {
    await expect(storage(client)).rejects.toMatchObject(invalid)
  })

  it('a pipeline', async () => {
    const client = new Redis({ lazyConnect: true })
    await expect(storage(client.pipeline())).rejects.toMatchObject(invalid)
  })

  it('an old server with UNSUPPORTED, and looks at none where setup is off', async () => {
    let asked = 0
    // Stands for a server of a version that nobody should run any more.
    const old = {
      evalsha: async () => 1,
      eval: async () => 1,
      status: 'ready',
      info: async () => {
        asked++
        return '# Server\r\nredis_version:6.0.16\r\n'
      },
    }
    await expect(redisDriver(old)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await redisDriver(old, { setup: false })
    expect(asked).toBe(1)
  })
})
