import { setTimeout as sleep } from 'node:timers/promises'
import type { Service, ServiceSetup } from '../service.ts'
import { withRedis } from './client.ts'
import { startRedis } from './standalone.ts'

const LINKED_MS = 20_000

/** A primary and its replica. `url`, `kill` and `restart` are the primary's. */
export interface RedisFailover extends Service {
  readonly replica: Service
  /** Makes the replica a primary, as a sentinel does when the primary is gone. */
  promote(): Promise<void>
}

/** Resolves when the server at `url` has what its primary has. */
async function linked(url: string): Promise<void> {
  const deadline = Date.now() + LINKED_MS
  for (;;) {
    const info = await withRedis(url, (client) => client.info('replication'))
    if (info.includes('master_link_status:up')) return
    if (Date.now() > deadline) throw new Error(`The replica did not follow in ${LINKED_MS} ms.`)
    await sleep(50)
  }
}

async function start(): Promise<RedisFailover> {
  const primary = await startRedis([
    '--repl-diskless-sync',
    'yes',
    '--repl-diskless-sync-delay',
    '0',
  ])
  let replica: Service
  try {
    replica = await startRedis(['--replicaof', '127.0.0.1', new URL(primary.url).port])
  } catch (error) {
    await primary.stop()
    throw error
  }
  const stop = async () => {
    await Promise.all([primary.stop(), replica.stop()])
  }
  try {
    await linked(replica.url)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: primary.url,
    version: `${primary.version} with a replica`,
    owned: true,
    kill: () => primary.kill(),
    restart: () => primary.restart(),
    stop,
    replica,
    promote: async () => {
      await withRedis(replica.url, (client) => client.replicaof('NO', 'ONE'))
    },
  }
}

/** A primary and a replica, by the program `redis-server` or `valkey-server`: always started, for they are there to be killed. */
export const redisFailover: ServiceSetup<RedisFailover> = {
  name: 'Redis with a replica',
  start,
}
