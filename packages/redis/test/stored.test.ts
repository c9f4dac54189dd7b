import { createStorage, type SessionDriver } from '@holdfast/core'
import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'

const server = await useService(redis, runner)

describe.runIf(server)('what is stored', () => {
  const client = new Redis(server?.url ?? '', { lazyConnect: true })
  afterAll(() => client.disconnect())
  let prefix: string
  beforeEach(() => {
    prefix = `test-${crypto.randomUUID()}`
  })

  /** Every key of the server that is, or may be, of this test. */
  const keys = async (): Promise<string[]> => {
    const found: string[] = []
    for await (const batch of client.scanStream({ match: `*${prefix}*`, count: 1_000 })) {
      found.push(...(batch as string[]))
    }
    return found.sort()
  }
  /** Makes what was entered into an index look old. */
  const age = async (key: string, ms: number) => {
    for (const member of await client.zrangebylex(key, '-', '+')) {
      const [name = '', time] = member.split('\t')
      await client.zrem(key, member)
      await client.zadd(key, 0, `${name}\t${Number(time) - ms}`)
    }
  }
  const names = async (key: string) =>
    (await client.zrangebylex(key, '-', '+')).map((member) => member.split('\t')[0])

  it('is one hash for a session, an index for its scope, and one of the scopes', async () => {
    const driver = await redisDriver(client, { prefix })
    const first = state('"a"', '"é😀"')
    await driver.replace('m1:t:x', first, null)
    expect(await keys()).toEqual([
      `${prefix}:ranges`,
      `${prefix}:{m1:t:x}`,
      `${prefix}:{m1:t:}:ids`,
    ])
    expect(await client.hgetall(`${prefix}:{m1:t:x}`)).toEqual({
      revision: first.revision,
      head: first.head,
      first: '0',
      next: '2',
      '0': '"a"',
      '1': '"é😀"',
    })
    expect(await names(`${prefix}:{m1:t:}:ids`)).toEqual(['m1:t:x'])
    expect(await names(`${prefix}:ranges`)).toEqual(['m1:t:'])
    await driver.append?.('m1:t:x', { ...state('"c"'), revision: 'r', drop: 1 }, first)
    expect(Object.keys(await client.hgetall(`${prefix}:{m1:t:x}`)).sort()).toEqual([
      '1',
      '2',
      'first',
      'head',
      'next',
      'revision',
    ])
    expect(await client.hmget(`${prefix}:{m1:t:x}`, 'first', 'next', '1', '2')).toEqual([
      '1',
      '3',
      '"é😀"',
      '"c"',
    ])
    expect(await client.pttl(`${prefix}:{m1:t:x}`)).toBe(-1)
  })

  it('is gone behind a purge: no key and no name stays', async () => {
    const storage = await redisStorage(client, { prefix })
    const scope = storage.scope('tenant')
    await scope.memory('secret').addUserInput('x')
    await scope.sessions().save({
      id: 'secret',
      metadata: { createdAt: 1, updatedAt: 1, attributes: {} },
      memory: { items: [] },
      events: [],
    })
    expect((await keys()).length).toBe(5)
    expect(await scope.deleteAll()).toBe(2)
    const cells = (await keys()).filter((key) => key.endsWith('secret}'))
    expect(cells.length).toBe(2)
    for (const cell of cells) {
      // A tombstone holds no entry.
      expect((await client.hkeys(cell)).sort()).toEqual(['first', 'head', 'next', 'revision'])
      const head = JSON.parse((await client.hget(cell, 'head')) ?? '{}')
      await client.hset(cell, 'head', JSON.stringify({ ...head, t: head.t - 700_000 }))
    }
    for (const key of (await keys()).filter((it) => !cells.includes(it))) await age(key, 700_000)
    expect(await storage.purge({ olderThanMs: 600_000 })).toMatchObject({ removed: 2, kept: 0 })
    expect(await keys()).toEqual([])
  })

  it('holds no key outside its prefix, behind the prefix of the client', async () => {
    // A database that no other test writes to.
    const bare = new Redis(server?.url ?? '', { db: 5 })
    const before = new Set(await bare.keys('*'))
    const prefixed = new Redis(server?.url ?? '', { keyPrefix: `app-${prefix}:`, db: 5 })
    const storage = await redisStorage(prefixed, { prefix })
    await storage.scope('{a}').memory('{b}').addUserInput('x')
    await storage.memory('c').addUserInput('x')
    expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(['c'])
    expect((await storage.scope('{a}').listMemories()).memories.map(({ id }) => id)).toEqual([
      '{b}',
    ])
    const added = (await bare.keys('*')).filter((key) => !before.has(key))
    expect(added.length).toBe(5)
    for (const key of added) expect(key.startsWith(`app-${prefix}:${prefix}:`), key).toBe(true)
    prefixed.disconnect()
    bare.disconnect()
  })

  it('is kept apart by prefixes', async () => {
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => redisStorage(client, { prefix: `${prefix}:${name}` })),
    )
    await one?.memory('a').addUserInput('x')
    expect(await two?.memory('a').getItems()).toEqual([])
    expect(await two?.listMemories()).toEqual({ memories: [] })
  })

  it('works on when the server forgets its scripts between any two calls', async () => {
    const driver = await redisDriver(client, { prefix })
    const forget = () => client.script('FLUSH')
    const [a, b, c] = [state('1', '2'), state('3'), state('4')]
    await forget()
    const version = await driver.replace('m0:a', a, null)
    expect(version).toEqual({ revision: a.revision })
    await forget()
    expect(await driver.append?.('m0:a', { ...b, drop: 1 }, a)).toEqual({ revision: b.revision })
    await forget()
    expect(await driver.read('m0:a')).toEqual({ ...b, entries: ['2', '3'] })
    await forget()
    expect((await driver.list({ limit: 5 })).map(({ id }) => id)).toEqual(['m0:a'])
    await forget()
    expect(await driver.replace('m0:a', c, b)).toEqual({ revision: c.revision })
    await forget()
    expect(await driver.delete?.('m0:a', c)).toBe(true)
    expect(await driver.read('m0:a')).toBeNull()
  })

  it('is intact in the middle of a write that is sent twice: the second one is a lost race', async () => {
    const driver = await redisDriver(client, { prefix })
    const [a, b] = [state('1'), state('2')]
    await driver.replace('m0:a', a, null)
    expect(await driver.replace('m0:a', a, null)).toBe(false)
    const change = { ...b, drop: 0 }
    expect(await driver.append?.('m0:a', change, a)).toEqual({ revision: b.revision })
    expect(await driver.append?.('m0:a', change, a)).toBe(false)
    expect(await driver.read('m0:a')).toEqual({ ...b, entries: ['1', '2'] })
  })

  it('that somebody damaged is CORRUPT, can be deleted, and hides no other session', async () => {
    const storage = await redisStorage(client, { prefix })
    for (const id of ['a', 'b', 'c', 'd']) {
      for (const word of ['1', '2', '3']) await storage.memory(id).addUserInput(word)
    }
    await client.hdel(`${prefix}:{m0:a}`, '1')
    await client.hdel(`${prefix}:{m0:b}`, 'first')
    await client.set(`${prefix}:{m0:c}`, 'foreign')
    const again = await redisStorage(client, { prefix })
    for (const id of ['a', 'b', 'c']) {
      await expect(again.memory(id).getItems(), id).rejects.toMatchObject({ code: 'CORRUPT' })
    }
    expect(await again.memory('d').getItems()).toHaveLength(3)
    const { memories } = await again.listMemories()
    expect(memories.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    expect(await again.deleteMemory('a')).toBe(true)
    expect(await again.deleteMemory('b')).toBe(true)
    expect(await again.memory('a').getItems()).toEqual([])
  })

  it('that a newer version wrote in another form is UNSUPPORTED to every read and write, listed, and can be deleted', async () => {
    const storage = await redisStorage(client, { prefix })
    const memory = storage.memory('a')
    await memory.addUserInput('1')
    await storage.memory('b').addUserInput('1')
    const key = `${prefix}:{m0:a}`
    const head = JSON.stringify({ ...JSON.parse((await client.hget(key, 'head')) ?? '{}'), v: 2 })
    await client.hset(key, { head, revision: 'newer' })
    const before = await client.hgetall(key)
    const unsupported = { code: 'UNSUPPORTED' }
    // One that knows the state before, and one that knows none.
    for (const one of [memory, (await redisStorage(client, { prefix })).memory('a')]) {
      await expect(one.getItems()).rejects.toMatchObject(unsupported)
      await expect(one.addUserInput('2')).rejects.toMatchObject(unsupported)
      await expect(one.clear()).rejects.toMatchObject(unsupported)
    }
    expect(await client.hgetall(key)).toEqual(before)
    const { memories } = await storage.listMemories()
    expect(memories).toEqual([{ id: 'a' }, { id: 'b', updatedAt: expect.any(Number) }])
    expect(await storage.deleteMemory('a')).toBe(true)
    expect(await memory.getItems()).toEqual([])
  })

  it('can be entered by hand again where an index was lost', async () => {
    const storage = await redisStorage(client, { prefix })
    for (const id of ['a', 'b']) await storage.scope('t').memory(id).addUserInput('x')
    await client.del(`${prefix}:ranges`, `${prefix}:{m1:t:}:ids`)
    expect(await storage.scope('t').listMemories()).toEqual({ memories: [] })
    expect(await storage.scope('t').memory('a').getItems()).toHaveLength(1)
    await client.zadd(`${prefix}:ranges`, 0, 'm1:t:\t0')
    await client.zadd(`${prefix}:{m1:t:}:ids`, 0, 'm1:t:a\t0', 0, 'm1:t:b\t0')
    const { memories } = await storage.scope('t').listMemories()
    expect(memories.map(({ id }) => id)).toEqual(['a', 'b'])
    // Once more beside its own entry: it is listed once all the same.
    await storage.scope('t').memory('c').addUserInput('x')
    await client.zadd(`${prefix}:ranges`, 0, 'm1:t:\t1')
    await client.zadd(`${prefix}:{m1:t:}:ids`, 0, 'm1:t:c\t0')
    const driver = await redisDriver(client, { prefix })
    expect((await driver.list({ limit: 9 })).map(({ id }) => id.at(-1))).toEqual(['a', 'b', 'c'])
    expect(await storage.deleteAll()).toBe(3)
  })

  it('may be one item of 20 MB', async () => {
    const storage = await redisStorage(client, { prefix })
    const text = 'é'.repeat(10 * 1024 * 1024)
    await storage.memory('long').addUserInput(text)
    const fresh = await redisStorage(client, { prefix })
    const [item] = await fresh.memory('long').getItems()
    expect(JSON.stringify(item).includes(text)).toBe(true)
    const lengths = await client.hvals(`${prefix}:{m0:long}`)
    expect(lengths.length).toBeGreaterThan(20)
    for (const value of lengths) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1 << 20)
    await client.del(...(await keys()))
  })
})

describe.runIf(server?.owned)('the cost', () => {
  const client = new Redis(server?.url ?? '', { lazyConnect: true })
  const watcher = new Redis(server?.url ?? '', { lazyConnect: true })
  afterAll(() => {
    client.disconnect()
    watcher.disconnect()
  })

  /** What the server counted while `work` ran, less what counting itself costs. */
  async function counted(work: () => Promise<unknown>) {
    const read = async () => {
      const info = await watcher.info('all')
      const sum = (pattern: RegExp) =>
        [...info.matchAll(pattern)].reduce((total, [, count]) => total + Number(count), 0)
      return {
        scripts: sum(/^cmdstat_evalsha:calls=(\d+)/gm) + sum(/^cmdstat_eval:calls=(\d+)/gm),
        commands: sum(/^cmdstat_(?!evalsha|eval|info)[a-z|]+:calls=(\d+)/gm),
        input: sum(/^total_net_input_bytes:(\d+)/gm),
      }
    }
    const before = await read()
    await work()
    const after = await read()
    return {
      scripts: after.scripts - before.scripts,
      commands: after.commands - before.commands,
      input: after.input - before.input,
    }
  }

  const grow = async (driver: SessionDriver, id: string, count: number) => {
    const start = state(...Array.from({ length: count }, (_, index) => `"${index}"`))
    await driver.replace(id, start, null)
    let last = start
    return async () => {
      const next = { ...state('"n"'), drop: 0 }
      await driver.append?.(id, next, last)
      last = next
    }
  }

  it('of an append is one script of the same commands and bytes at 10 entries and at 10,000', async () => {
    const driver = await redisDriver(client)
    const small = await grow(driver, 'm0:small', 10)
    const large = await grow(driver, 'm0:large', 10_000)
    await small()
    await large()
    const costs = [await counted(small), await counted(large)]
    // HMGET, HSET, PERSIST inside one EVALSHA.
    expect(costs.map(({ scripts, commands }) => [scripts, commands])).toEqual([
      [1, 3],
      [1, 3],
    ])
    expect(Math.abs((costs[0]?.input ?? 0) - (costs[1]?.input ?? 0))).toBeLessThan(40)
  })

  it('of a turn of a memory is one script, whatever its length', async () => {
    const storage = createStorage(await redisDriver(client))
    const memory = storage.memory('turns')
    for (let turn = 0; turn < 30; turn++) await memory.addUserInput(`turn ${turn}`)
    const { scripts } = await counted(() => memory.addUserInput('one more'))
    expect(scripts).toBe(1)
  })

  it('of replacing 10,000 entries and of dropping them all is within what Lua unpacks', async () => {
    const driver = await redisDriver(client)
    const whole = state(...Array.from({ length: 20_001 }, (_, index) => `"${index}"`))
    expect(await driver.replace('m0:many', whole, null)).toBeTruthy()
    expect(await driver.read('m0:many')).toEqual(whole)
    expect(await driver.read('m0:many', { skip: 19_999 })).toEqual({
      ...whole,
      entries: ['"19999"', '"20000"'],
    })
    const rest = { ...state('"last"'), drop: 20_001 }
    expect(await driver.append?.('m0:many', rest, whole)).toBeTruthy()
    expect(await client.hlen('holdfast:{m0:many}')).toBe(5)
    expect((await driver.read('m0:many')) as object).toMatchObject({ entries: ['"last"'] })
  })
})
