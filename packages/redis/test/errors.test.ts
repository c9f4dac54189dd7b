import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage, type SessionDriver } from '@holdfast/core'
import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'
import { startServer, until } from './support/server.ts'

const server = await useService(redis, runner)

/** What a driver's call fails with, as the driver itself classifies it. */
async function kindOf(driver: SessionDriver, call: () => Promise<unknown> | undefined) {
  try {
    await call()
  } catch (error) {
    return driver.classify?.(error) ?? (error as Error).message
  }
  return 'it did not fail'
}

describe.runIf(server?.owned)('a failing server', () => {
  const url = server?.url ?? ''
  const admin = new Redis(url, { lazyConnect: true })
  const client = new Redis(url, { lazyConnect: true })
  const set = (name: string, value: string) => admin.config('SET', name, value)
  afterEach(async () => {
    await set('maxmemory', '0')
    await set('min-replicas-to-write', '0')
  })
  afterAll(() => {
    admin.disconnect()
    client.disconnect()
  })

  it('with full memory refuses the whole of a write, lets reads and deletions pass, and recovers', async () => {
    const driver = await redisDriver(client)
    const [a, b, c] = [state('1', '2'), state('3'), state('4')]
    await driver.replace('m0:full', a, null)
    await set('maxmemory', '1')
    expect(await kindOf(driver, () => driver.append?.('m0:full', { ...b, drop: 1 }, a))).toBe(
      'refused',
    )
    expect(await kindOf(driver, () => driver.replace('m0:full', b, a))).toBe('refused')
    expect(await kindOf(driver, () => driver.replace('m0:other', b, null))).toBe('refused')
    expect(await driver.read('m0:full')).toEqual(a)
    expect((await driver.list({ limit: 5 })).map(({ id }) => id)).toEqual(['m0:full'])
    await expect(createStorage(driver).memory('other').addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
    const tombstone = state()
    expect(await driver.replace('m0:full', tombstone, a)).toBeTruthy()
    expect(await driver.read('m0:full')).toEqual(tombstone)
    await set('maxmemory', '0')
    expect(await driver.replace('m0:full', c, tombstone)).toBeTruthy()
  })

  it('that misses its replicas fails for now, reads too: it may be cut off from newer states', async () => {
    const driver = await redisDriver(client)
    const a = state('1')
    await driver.replace('m0:alone', a, null)
    await set('min-replicas-to-write', '1')
    expect(await kindOf(driver, () => driver.replace('m0:alone', state('2'), a))).toBe('transient')
    expect(await kindOf(driver, () => driver.read('m0:alone'))).toBe('transient')
    expect(await kindOf(driver, () => driver.list({ limit: 5 }))).toBe('transient')
    await set('min-replicas-to-write', '0')
    expect(await driver.read('m0:alone')).toEqual(a)
  })

  it('that cannot save to its disk refuses writes, and reads go on', async () => {
    const own = await startServer()
    const direct = new Redis(own.url)
    const driver = await redisDriver(direct)
    const a = state('1')
    await driver.replace('m0:a', a, null)
    // A folder in the place of the file: the save cannot be put there.
    mkdirSync(join(own.folder, 'dump.rdb', 'x'), { recursive: true })
    await direct.config('SET', 'save', '900 1')
    await direct.bgsave()
    await until(
      async () => (await direct.info('persistence')).includes('rdb_last_bgsave_status:err'),
      'a save that fails',
    )
    expect(await kindOf(driver, () => driver.replace('m0:a', state('2'), a))).toBe('refused')
    expect(await driver.read('m0:a')).toEqual(a)
    expect((await driver.list({ limit: 5 })).map(({ id }) => id)).toEqual(['m0:a'])
    direct.disconnect()
    await own.kill()
  })

  it('behind a foreign key is corrupt', async () => {
    const driver = await redisDriver(client)
    await admin.set('holdfast:{m0:foreign}', 'x')
    expect(await kindOf(driver, () => driver.read('m0:foreign'))).toBe('corrupt')
    expect(await kindOf(driver, () => driver.replace('m0:foreign', state('1'), null))).toBe(
      'corrupt',
    )
    await admin.del('holdfast:{m0:foreign}')
  })

  it('never gives away what was sent, on any error', async () => {
    const driver = await redisDriver(client)
    await set('maxmemory', '1')
    const failed = await driver.replace('m0:secret', state('"my secret"'), null).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failed).toBeInstanceOf(Error)
    const { inspect } = await import('node:util')
    expect(inspect(failed, { depth: 10, showHidden: true })).not.toContain('my secret')
  })
})

describe.runIf(server?.owned)('a client', () => {
  const url = server?.url ?? ''

  it('that its owner closed is CLOSED', async () => {
    const client = new Redis(url)
    const driver = await redisDriver(client)
    const storage = await redisStorage(client)
    client.disconnect()
    await until(async () => client.status === 'end', 'the end of the client')
    expect(await kindOf(driver, () => driver.read('m0:a'))).toBe('closed')
    await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('that gives up for a while is transient', async () => {
    const own = await startServer()
    const client = new Redis(own.url, { maxRetriesPerRequest: 1, retryStrategy: () => 10 })
    client.on('error', () => {})
    const driver = await redisDriver(client)
    await own.kill()
    expect(await kindOf(driver, () => driver.read('m0:a'))).toBe('transient')
    client.disconnect()
  })

  it.each([
    ['without an offline queue', { enableOfflineQueue: false }],
    ['that does not send again', { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 1 }],
    ['with a timeout of its own', { commandTimeout: 1_000 }],
  ])('%s is transient while its server is away', async (_, settings) => {
    const own = await startServer()
    const client = new Redis(own.url, { retryStrategy: () => 10, ...settings })
    client.on('error', () => {})
    await client.ping().catch(() => until(async () => client.status === 'ready', 'a connection'))
    const driver = await redisDriver(client)
    await own.kill()
    expect(await kindOf(driver, () => driver.read('m0:a'))).toBe('transient')
    client.disconnect()
  })

  it('keeps a session whose server starts again, and the process lives', async () => {
    const client = new Redis(url)
    const storage = await redisStorage(client)
    const memory = storage.memory(crypto.randomUUID())
    await memory.addUserInput('one')
    for (let cut = 0; cut < 3; cut++) {
      client.disconnect(true)
      await memory.addUserInput(`behind cut ${cut}`)
    }
    expect(await memory.getItems()).toHaveLength(4)
    client.disconnect()
  })
})
