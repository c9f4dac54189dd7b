import { inspect } from 'node:util'
import { redis, redisCluster, useService } from '@holdfast/services'
import type { Redis } from 'ioredis'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { openRedis, type RedisClient, redisDriver, redisStorage } from '../../src/index.ts'
import { nodesOf } from './nodes.ts'
import { startServer, until } from './server.ts'

const SECRET = 'my-secret'
const LOGIN = { username: 'agent', password: SECRET }

/** What the tests need of a client that they make; that of `openRedis` is whichever `ioredis` is. */
type Own = RedisClient & { disconnect(): void; on(event: 'error', listener: () => void): unknown }
type Nodes = { host: string; port: number }[]
type Settings = Record<string, unknown>
export interface Clients {
  redis(options: Settings): Own
  cluster(nodes: Nodes, options: Settings): Own
}

/** Declares that no error tells what was sent, with one version of ioredis. */
export async function testSecrets(name: string, clients: Clients): Promise<void> {
  const single = await useService(redis, runner)
  const cluster = await useService(redisCluster, runner)

  /** What `work` fails with, which must not hold the secret anywhere. */
  async function failure(work: () => Promise<unknown>): Promise<Error> {
    const error = await work().then(
      () => undefined,
      (reason: Error) => reason,
    )
    expect(error).toBeInstanceOf(Error)
    expect(error?.message).not.toContain(SECRET)
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(SECRET)
    return error as Error
  }
  const login = (url = '') => url.replace('//', `//${LOGIN.username}:${SECRET}@`)

  async function over(client: Own): Promise<void> {
    client.on('error', () => {})
    const error = await failure(() => redisStorage(client, { timeoutMs: 2_000 }))
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    const driver = await redisDriver(client, { setup: false })
    const call = async () => driver.read('m0:a')
    const later = new Promise((_, reject) => setTimeout(reject, 1_000, new Error('it waits')))
    await failure(() => Promise.race([call(), later]))
    client.disconnect()
  }

  describe.runIf(single?.owned)(`${name}, one server: a password`, () => {
    const url = new URL(single?.url ?? 'redis://x:1')
    const address = { host: url.hostname, port: Number(url.port) }

    it.each([
      ['in a URL', login(single?.url)],
      ['in settings', { ...address, ...LOGIN }],
      ['in settings, by RESP2', { ...address, ...LOGIN, protocol: 2 }],
      [
        'for Sentinel',
        { sentinels: [address], name: 'main', sentinelUsername: 'agent', sentinelPassword: SECRET },
      ],
    ])('%s that is wrong is in no error of openRedis', async (_, target) => {
      const error = await failure(() => openRedis(target, { timeoutMs: 2_000 }))
      expect(error).toMatchObject({ code: 'STORAGE_FAILED', cause: expect.any(Error) })
    })

    it('that is wrong is in no error over a client of your own', async () => {
      await over(clients.redis({ ...address, ...LOGIN }))
    })

    it('that is right no more is in no error of a call that comes later', async () => {
      const own = await startServer()
      const admin = clients.redis({ host: '127.0.0.1', port: own.port }) as unknown as Redis
      const rules = ['reset', 'on', '~*', '+@all']
      await admin.acl('SETUSER', 'agent', ...rules, `>${SECRET}`)
      const storage = await openRedis(login(own.url), { timeoutMs: 2_000, attempts: 1 })
      const memory = storage.memory('a')
      await memory.addUserInput('x')
      await admin.acl('SETUSER', 'agent', ...rules, '>another')
      await admin.client('KILL', 'USER', 'agent')
      for (let call = 0; call < 3; call++) await failure(() => memory.addUserInput(SECRET))
      await storage.close()
      admin.disconnect()
      await own.kill()
    })
  })

  describe.runIf(single?.owned)(`${name}: an item`, () => {
    it('is in no error of a server that repeats what it does not know', async () => {
      const own = await startServer('--rename-command', 'EVALSHA', '')
      const client = clients.redis({ host: '127.0.0.1', port: own.port })
      const driver = await redisDriver(client, { prefix: 'p', setup: false })
      const change = { revision: '2', head: '', drop: 0, entries: [SECRET] }
      const error = await failure(async () => driver.append?.('a', change, { revision: '1' }))
      expect(error.message).toMatch(/unknown command/i)
      client.disconnect()
      await own.kill()
    })

    it('is in no error of a connection that is lost', async () => {
      const own = await startServer()
      const client = clients.redis({
        ...{ host: '127.0.0.1', port: own.port, maxRetriesPerRequest: 0 },
        retryStrategy: () => 10,
      })
      client.on('error', () => {})
      const driver = await redisDriver(client)
      await own.kill()
      await until(async () => client.status !== 'ready', 'the loss of the connection')
      const change = { revision: '2', head: '', drop: 0, entries: [SECRET] }
      await failure(async () => driver.append?.('a', change, { revision: '1' }))
      client.disconnect()
    })
  })

  describe.runIf(cluster)(`${name}, a cluster: a password`, () => {
    const nodes = nodesOf(cluster?.url ?? 'redis-cluster://x:1')

    it.each([
      ['in a URL', login(cluster?.url)],
      ['in settings', { nodes, redisOptions: LOGIN }],
    ])('%s that is wrong is in no error of openRedis', async (_, target) => {
      const error = await failure(() => openRedis(target, { timeoutMs: 2_000 }))
      expect(error).toMatchObject({ code: 'STORAGE_FAILED', cause: expect.any(Error) })
    })

    it.each([
      ['that tries again', {}],
      ['that does not', { clusterRetryStrategy: () => null }],
    ])('that is wrong is in no error over a client of your own %s', async (_, settings) => {
      await over(clients.cluster(nodes, { redisOptions: LOGIN, ...settings }))
    })
  })
}
