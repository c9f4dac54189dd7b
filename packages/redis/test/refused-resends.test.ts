import { openTcpProxy, redis, redisCluster, type TcpProxy, useService } from '@holdfast/services'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import * as runner from 'vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openRedis, type RedisClient, redisDriver, redisStorage } from '../src/index.ts'
import { state } from './support/cells.ts'
import { nodesOf } from './support/nodes.ts'

// The client sends a script again whose answer was lost. If the second sending is refused, that says nothing
// of the first, which may have been applied: then no error may say that the write is not stored.

const LOGIN = { username: 'resends', password: 'pass' }
const ALL = ['reset', 'on', `>${LOGIN.password}`, '~*', '+@all']

type Client = RedisClient & {
  disconnect(): void
  on(event: 'error', listener: () => void): unknown
}
const within = { retryStrategy: () => 1 }

for (const [what, server] of [
  ['one server', await useService(redis, runner)],
  ['a cluster', await useService(redisCluster, runner)],
] as const) {
  const nodes = nodesOf(server?.url ?? 'redis://x:1')
  const single = what === 'one server'

  describe.runIf(server?.owned)(`${what}: a write whose answer is lost`, () => {
    const admins = nodes.map((node) => new Redis({ ...node, lazyConnect: true }))
    const proxies: TcpProxy[] = []
    /** Runs instead of the next answer that says that a write was stored. */
    let instead: ((at: Redis) => void) | undefined
    const everywhere = (run: (admin: Redis) => Promise<unknown>) => Promise.all(admins.map(run))
    const allow = (...rules: string[]) =>
      everywhere((admin) => admin.acl('SETUSER', LOGIN.username, ...rules))

    beforeEach(async () => {
      instead = undefined
      await everywhere((admin) => admin.config('SET', 'maxmemory', '0'))
      await allow(...ALL)
      if (proxies.length > 0) return
      for (const [index, { host, port }] of nodes.entries()) {
        const proxy = openTcpProxy(`redis://${host}:${port}`, ({ direction, bytes }) => {
          if (!instead || direction !== 'answer' || `${Buffer.from(bytes)}` !== ':1\r\n') {
            return 'pass'
          }
          // Sent on a connection that is there, before the client can make a new one.
          const [admin] = admins.slice(index)
          if (admin) instead(admin)
          instead = undefined
          return 'cut'
        })
        proxies.push(await proxy)
      }
    })
    afterAll(async () => {
      await everywhere((admin) => admin.config('SET', 'maxmemory', '0'))
      for (const admin of admins) admin.disconnect()
      for (const proxy of proxies) await proxy.close()
    })

    const port = () => proxies[0]?.port ?? 0
    const natMap = () =>
      Object.fromEntries(
        nodes.map(({ host, port }, index) => [
          `${host}:${port}`,
          { host: '127.0.0.1', port: proxies[index]?.port ?? 0 },
        ]),
      )
    const through = () => proxies.map(({ port }) => ({ host: '127.0.0.1', port }))
    const clients: [string, () => Client][] = single
      ? [
          ['ioredis 6', () => new Redis(port(), { ...LOGIN, ...within })],
          ['ioredis 5', () => new Redis5(port(), { ...LOGIN, ...within })],
        ]
      : [
          ['ioredis 6', () => new Cluster(through(), { redisOptions: LOGIN, natMap: natMap() })],
          ['ioredis 5', () => new Cluster5(through(), { redisOptions: LOGIN, natMap: natMap() })],
          [
            'ioredis 6 whose nodes connect again',
            () =>
              new Cluster(through(), {
                ...{ redisOptions: LOGIN, natMap: natMap(), clusterNodeRetryStrategy: () => 1 },
              }),
          ],
        ]

    const full = () => everywhere((admin) => admin.config('SET', 'maxmemory', '1'))
    const refusals: [string, (at: Redis) => Promise<unknown>][] = [
      ['the memory is full', full],
      ['the user may run no script', () => allow('-evalsha')],
      ['the user may use no key', () => allow('resetkeys')],
      ['the user may not use a command of the script', () => allow('-hmget')],
    ]
    // Other clients go on trying to connect to it, and send nothing.
    const givesUp = (name: string) => !single && !name.endsWith('again')
    const gone: (typeof refusals)[number] = [
      'the user is gone there',
      (at) => at.acl('DELUSER', LOGIN.username),
    ]

    for (const [name, connect] of clients) {
      it.each(givesUp(name) ? [...refusals, gone] : refusals)(
        `${name}: is no refusal when %s before it is sent again`,
        async (_, refuse) => {
          const client = connect()
          client.on('error', () => {})
          const prefix = crypto.randomUUID()
          const driver = await redisDriver(client, { prefix })
          const [a, b] = [state('1'), state('2')]
          await driver.replace('m0:a', a, null)
          // The server knows the script, so that the answer is that of the write.
          await driver.append?.('m0:a', { ...b, drop: 0 }, { revision: 'none' })
          let refused: Promise<unknown> | undefined
          instead = (at) => {
            refused = refuse(at)
          }
          const answer = async () => driver.append?.('m0:a', { ...b, drop: 0 }, a)
          const verdict = await answer().catch((error) => driver.classify?.(error) ?? 'unknown')
          expect(refused, 'the answer was lost').toBeDefined()
          await refused
          expect([false, 'unknown', 'transient']).toContain(verdict)
          const direct = admins.map((admin) =>
            admin.hget(`${prefix}:{m0:a}`, 'revision').catch(String),
          )
          expect(await Promise.all(direct)).toContain(b.revision)
          client.disconnect()
        },
      )
    }

    it('is unknown to a storage that lost a right before it is sent again, and stored once', async () => {
      const client = clients[0]?.[1]() as Client
      client.on('error', () => {})
      const prefix = crypto.randomUUID()
      const memory = (await redisStorage(client, { prefix })).memory('a')
      for (const word of ['1', '2']) await memory.addUserInput(word)
      instead = () => void allow('-evalsha')
      await expect(memory.addUserInput('3')).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        outcome: 'unknown',
      })
      await allow('+evalsha')
      expect(await memory.getItems()).toHaveLength(3)
      client.disconnect()
    })

    it('is a success of openRedis when the memory is full before it is sent again', async () => {
      const target = single
        ? { host: '127.0.0.1', port: port(), ...LOGIN }
        : { nodes: through(), natMap: natMap(), redisOptions: LOGIN }
      const storage = await openRedis(target, { prefix: crypto.randomUUID() })
      const memory = storage.memory('a')
      for (const word of ['1', '2']) await memory.addUserInput(word)
      instead = () => void full()
      await memory.addUserInput('3')
      expect(instead).toBeUndefined()
      expect(await memory.getItems()).toHaveLength(3)
      await storage.close()
    })

    it('is a success when its script was refused its last command: what it wrote stays', async () => {
      const client = clients[0]?.[1]() as Client
      const prefix = crypto.randomUUID()
      const memory = (await redisStorage(client, { prefix })).memory('a')
      await memory.addUserInput('1')
      // Its last command: what it has written by then stays written.
      await allow('-persist')
      await memory.addUserInput('2')
      expect(await memory.getItems()).toHaveLength(2)
      client.disconnect()
    })
  })
}
