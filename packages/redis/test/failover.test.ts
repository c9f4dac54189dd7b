import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRedis, redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'
import { startSentinel, startServer, type TestServer, until } from './support/server.ts'

// Tells why these are skipped where there is no program to start servers with.
const found = await useService(redis, runner)

const link = (info: string) => /^master_link_status:(\w+)/m.exec(info)?.[1]

/** A primary and its replica, in step. */
async function pair(): Promise<[TestServer, TestServer]> {
  const primary = await startServer('--repl-diskless-sync-delay', '0')
  const replica = await startServer('--replicaof', '127.0.0.1', `${primary.port}`)
  const client = new Redis(replica.url)
  await until(async () => link(await client.info('replication')) === 'up', 'the replica')
  client.disconnect()
  return [primary, replica]
}

describe.runIf(found?.owned)(
  'a primary that is killed, and its replica promoted by Sentinel',
  () => {
    let servers: TestServer[] = []
    let sentinel: TestServer
    beforeAll(async () => {
      servers = await pair()
      sentinel = await startSentinel()
      const admin = new Redis(sentinel.url)
      await admin.call('SENTINEL', 'MONITOR', 'main', '127.0.0.1', `${servers[0]?.port}`, '1')
      await admin.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', '500')
      await admin.call('SENTINEL', 'SET', 'main', 'failover-timeout', '3000')
      await until(async () => {
        const replicas = (await admin.call('SENTINEL', 'REPLICAS', 'main')) as unknown[]
        return replicas.length === 1
      }, 'the replica, seen by Sentinel')
      admin.disconnect()
    })
    afterAll(async () => {
      for (const server of [...servers, sentinel]) await server.kill()
    })

    it('gives typed errors if any, and the next calls work on what was replicated', async () => {
      const storage = await openRedis({
        sentinels: [{ host: '127.0.0.1', port: sentinel.port }],
        name: 'main',
      })
      const memory = storage.memory('a')
      await memory.addUserInput('before')
      // What WAIT answers for: one replica has it.
      const direct = new Redis(servers[0]?.url ?? '')
      expect(await direct.wait(1, 5_000)).toBe(1)
      direct.disconnect()
      const [primary] = servers.splice(0, 1)
      await primary?.kill()
      const failures: { code?: string }[] = []
      let stored = 1
      await until(async () => {
        try {
          await memory.addUserInput('after')
          stored++
          return true
        } catch (error) {
          failures.push(error as { code?: string })
          return false
        }
      }, 'the promotion')
      for (const failure of failures) expect(failure.code).toBe('STORAGE_FAILED')
      expect(await memory.getItems()).toHaveLength(stored)
      expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(['a'])
      await storage.close()
    })
  },
)

describe.runIf(found?.owned)('a primary that is made a replica under a connected client', () => {
  let servers: TestServer[] = []
  beforeAll(async () => {
    servers = await pair()
  })
  afterAll(async () => {
    for (const server of servers) await server.kill()
  })

  it('refuses reads, lists and writes as transient: it may not know the newest state', async () => {
    const [one, two] = servers
    const [old, next] = [new Redis(one?.url ?? ''), new Redis(two?.url ?? '')]
    const driver = await redisDriver(old)
    const a = state('1')
    await driver.replace('m0:a', a, null)
    await old.wait(1, 5_000)
    await next.replicaof('NO', 'ONE')
    const b = state('2')
    expect(await (await redisDriver(next)).replace('m0:a', b, a)).toBeTruthy()
    await old.replicaof('127.0.0.1', two?.port ?? 0)
    await until(async () => link(await old.info('replication')) === 'up', 'the old primary in step')
    const kind = async (call: () => Promise<unknown> | undefined) => {
      try {
        return await call()
      } catch (error) {
        return driver.classify?.(error)
      }
    }
    expect(await kind(() => driver.read('m0:a'))).toBe('transient')
    expect(await kind(() => driver.list({ limit: 5 }))).toBe('transient')
    const change = { ...state('3'), drop: 0 }
    expect(await kind(() => driver.replace('m0:a', state('3'), b))).toBe('transient')
    expect(await kind(() => driver.append?.('m0:a', change, b))).toBe('transient')
    expect(await kind(() => driver.replace('m0:b', state('3'), null))).toBe('transient')
    expect(
      await kind(() => driver.append?.('m0:a', change, a)),
      'a lost race is one anywhere',
    ).toBe(false)
    await expect(redisStorage(old)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    for (const client of [old, next]) client.disconnect()
  })
})
