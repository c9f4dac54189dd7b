import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'

const server = await useService(redis, runner)
const HOUR = 3_600_000

describe.runIf(server)('with ttlMs', () => {
  const client = new Redis(server?.url ?? '', { lazyConnect: true })
  afterAll(() => client.disconnect())
  let prefix: string
  beforeEach(() => {
    prefix = `test-${crypto.randomUUID()}`
  })
  const key = (id: string) => `${prefix}:{${id}}`
  /** Lets a session expire now. */
  const expire = (id: string) => client.pexpire(key(id), 0)
  const members = (range: string) => client.zrangebylex(`${prefix}:{${range}}:ids`, '-', '+')
  /** Makes an entry of an index look old. */
  const age = async (range: string, id: string) => {
    const index = `${prefix}:{${range}}:ids`
    const [member = ''] = await client.zrangebylex(index, `[${id}\t`, `(${id}\n`)
    await client.zrem(index, member)
    await client.zadd(index, 0, `${id}\t${Number(member.split('\t')[1]) - 601_000}`)
  }

  it('each write sets it anew', async () => {
    const driver = await redisDriver(client, { prefix, ttlMs: HOUR })
    const [a, b, c] = [state('1'), state('2'), state('3')]
    const near = async () => {
      const left = await client.pttl(key('m0:a'))
      return left > HOUR - 60_000 && left <= HOUR
    }
    await driver.replace('m0:a', a, null)
    expect(await near()).toBe(true)
    await client.pexpire(key('m0:a'), 90_000)
    await driver.read('m0:a')
    expect(await near(), 'a read keeps nothing longer').toBe(false)
    await driver.append?.('m0:a', { ...b, drop: 0 }, a)
    expect(await near()).toBe(true)
    await client.pexpire(key('m0:a'), 90_000)
    await driver.append?.('m0:a', { ...c, drop: 9 }, a)
    expect(await near(), 'a lost race keeps nothing longer').toBe(false)
    await driver.replace('m0:a', c, b)
    expect(await near()).toBe(true)
    const tombstone = state()
    await driver.replace('m0:a', tombstone, c)
    expect(await near(), 'tombstones expire, too').toBe(true)
  })

  it('a write by a storage without it makes the session stay', async () => {
    const driver = await redisDriver(client, { prefix, ttlMs: HOUR })
    const lasting = await redisDriver(client, { prefix })
    const [a, b, c] = [state('1'), state('2'), state('3')]
    await driver.replace('m0:a', a, null)
    await lasting.append?.('m0:a', { ...b, drop: 0 }, a)
    expect(await client.pttl(key('m0:a'))).toBe(-1)
    await driver.append?.('m0:a', { ...c, drop: 0 }, b)
    await lasting.replace('m0:a', a, c)
    expect(await client.pttl(key('m0:a'))).toBe(-1)
  })

  it('a session expires whole, is not listed, and begins anew', async () => {
    const storage = await redisStorage(client, { prefix, ttlMs: HOUR })
    for (const id of ['a', 'b', 'c']) await storage.memory(id).addUserInput('x')
    const memory = storage.memory('b')
    await expire('m0:b')
    const ids = async (limit: number) =>
      (await storage.listMemories({ limit })).memories.map(({ id }) => id)
    expect(await ids(100)).toEqual(['a', 'c'])
    expect(await ids(2)).toEqual(['a', 'c'])
    expect(await memory.getItems()).toEqual([])
    await memory.addUserInput('again')
    expect(await memory.getItems()).toHaveLength(1)
    expect(await ids(100)).toEqual(['a', 'b', 'c'])
    expect(await members('m0:'), 'one member, however often it is created').toHaveLength(3)
  })

  it('a tombstone outlives the time in which a creation of before may arrive, at the shortest', async () => {
    const creations: string[][] = []
    const watched = new Proxy(client, {
      get(target, name) {
        if (name !== 'evalsha') return Reflect.get(target, name, target)
        return (sha: string, count: number, values: string[]) => {
          if (/^\d{13}$/.test(values[1] ?? '')) creations.push([sha, ...values])
          return target.evalsha(sha, count, values)
        }
      },
    })
    const driver = await redisDriver(watched, { prefix, ttlMs: 600_000 })
    const [a, tombstone] = [state('1'), state()]
    await driver.replace('m0:a', a, null)
    await driver.replace('m0:a', tombstone, a)
    const [sha = '', ...values] = creations[0] ?? []
    // Twice as long, since the clocks of two masters may be that far apart.
    const ends = Number((await client.time())[0]) * 1_000 + (await client.pttl(key('m0:a')))
    expect(ends - Number(values[1])).toBeGreaterThan(290_000)
    expect(await client.evalsha(sha, 1, ...values), 'a creation that arrives late').toBe(0)
    expect(await driver.read('m0:a')).toEqual(tombstone)
  })

  it('a page is full although many before it have expired, and they leave the index by and by', async () => {
    const driver = await redisDriver(client, { prefix, ttlMs: HOUR })
    const ids = Array.from({ length: 60 }, (_, index) => `m0:n${100 + index}`)
    for (const id of ids) await driver.replace(id, state('1'), null)
    for (const id of ids.slice(0, 50)) {
      await expire(id)
      await age('m0:', id)
    }
    const rows = await driver.list({ after: 'm0:', before: 'm0;', limit: 3 })
    expect(rows.map(({ id }) => id)).toEqual(ids.slice(50, 53))
    expect(await members('m0:')).toHaveLength(10)
    await expire('m0:n150')
    await driver.list({ limit: 100 })
    expect(await members('m0:'), 'a young member stays').toHaveLength(10)
  })
})

describe.runIf(server)('a dead member of an index', () => {
  const client = new Redis(server?.url ?? '', { lazyConnect: true })
  const other = new Redis(server?.url ?? '', { lazyConnect: true })
  afterAll(() => {
    client.disconnect()
    other.disconnect()
  })

  it('is struck out only as it was seen: who creates meanwhile stays listed', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const index = `${prefix}:{m0:}:ids`
    const driver = await redisDriver(client, { prefix })
    const id = 'm0:a'
    for (let round = 0; round < 200; round++) {
      // An old member without a session, as an expired one leaves it.
      await client.del(index, `${prefix}:{${id}}`)
      await client.zadd(index, 0, `${id}\t${Date.now() - 700_000 - round}`)
      const creator = await redisDriver(other, { prefix, setup: false })
      const [, created] = await Promise.all([
        driver.list({ after: 'm0:', before: 'm0;', limit: 10 }),
        creator.replace(id, state('1'), null),
      ])
      expect(created).toBeTruthy()
      expect(await driver.list({ after: 'm0:', before: 'm0;', limit: 10 })).toHaveLength(1)
    }
  })

  it('cannot be struck out between its entry and a creation that stalled: the creation enters again', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const driver = await redisDriver(client, { prefix })
    // A client that stalls between the entry and the creation; then a listing strikes the entry out.
    let stalled = 0
    const stalling = new Proxy(other, {
      get(target, name) {
        if (name !== 'evalsha') return Reflect.get(target, name, target)
        return async (sha: string, count: number, [key = '', first = '', ...rest]: string[]) => {
          const creation = rest.length === 4 && /^\d{13}$/.test(first)
          if (!creation || stalled++ > 0) return target.evalsha(sha, count, [key, first, ...rest])
          const index = `${prefix}:{m0:}:ids`
          await client.del(index)
          await client.zadd(index, 0, `m0:a\t${Date.now() - 700_000}`)
          expect(await driver.list({ limit: 10 })).toEqual([])
          expect(await client.exists(index)).toBe(0)
          // The deadline that the entry gave has passed.
          return target.evalsha(sha, count, [key, String(Date.now() - 1), ...rest])
        }
      },
    })
    const slow = await redisDriver(stalling, { prefix, setup: false })
    expect(await slow.replace('m0:a', state('1'), null)).toBeTruthy()
    expect(stalled).toBe(2)
    expect((await driver.list({ limit: 10 })).map(({ id }) => id)).toEqual(['m0:a'])
  })

  it('of a range without sessions leaves the index of ranges', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const driver = await redisDriver(client, { prefix })
    await driver.replace('m1:t:x', state('1'), null)
    await client.zadd(`${prefix}:ranges`, 0, `m1:gone:\t${Date.now() - 700_000}`)
    await client.zadd(`${prefix}:ranges`, 0, `m1:new:\t${Date.now()}`)
    expect((await driver.list({ limit: 10 })).map(({ id }) => id)).toEqual(['m1:t:x'])
    const ranges = await client.zrangebylex(`${prefix}:ranges`, '-', '+')
    expect(ranges.map((member) => member.split('\t')[0])).toEqual(['m1:new:', 'm1:t:'])
  })

  it('is refused as wrong clocks where every creation comes behind its deadline', async () => {
    const prefix = `test-${crypto.randomUUID()}`
    const late = new Proxy(other, {
      get(target, name) {
        if (name !== 'evalsha') return Reflect.get(target, name, target)
        return (sha: string, count: number, [key = '', first = '', ...rest]: string[]) =>
          target.evalsha(sha, count, [key, /^\d{13}$/.test(first) ? '1' : first, ...rest])
      },
    })
    const storage = await redisStorage(late, { prefix, setup: false })
    await expect(storage.memory('a').addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
  })
})
