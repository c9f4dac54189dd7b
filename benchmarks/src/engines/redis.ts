import { redisStorage } from '@holdfast/redis'
import { openTcpProxy, type Service } from '@holdfast/services'
import { Cluster, Redis } from 'ioredis'
import { bareRedis, REDIS_APPEND } from '../bare/redis.ts'
import type { Engine, Wired } from '../engine.ts'
import { freshName } from '../fresh-name.ts'
import { versionOf } from '../versions.ts'
import { sumOf, throughProxy } from '../wire.ts'

const GOALS = { append: 1.3, roundTrips: 1 } as const

const sidesOf = async (client: Redis | Cluster, prefix: string) => ({
  storage: await redisStorage(client, { prefix }),
  bare: await bareRedis(client, `${prefix}-bare`),
  close: async () => client.disconnect(),
})

const openSingle = (url: string, prefix: string) => sidesOf(new Redis(url), prefix)

export async function redisEngine({ url, version }: Service): Promise<Engine> {
  const prefix = freshName()
  return {
    name: 'Redis',
    version: `${version}, ${versionOf('ioredis')}`,
    bareAppend: REDIS_APPEND,
    goals: GOALS,
    ...(await openSingle(url, prefix)),
    wired: () => throughProxy(url, (proxied) => openSingle(proxied, prefix)),
  }
}

interface Node {
  readonly host: string
  readonly port: number
}

/** Of `redis-cluster://host:port,host:port`. */
const nodesOf = (url: string): Node[] =>
  url
    .replace(/^redis-cluster:\/\//, '')
    .split(',')
    .map((address) => {
      const { hostname, port } = new URL(`redis://${address}`)
      return { host: hostname, port: Number(port) }
    })

/** A node of a cluster tells the addresses of the others: each is replaced by its proxy's. */
async function wiredCluster(url: string, prefix: string): Promise<Wired> {
  const nodes = nodesOf(url)
  const proxies = await Promise.all(
    nodes.map(({ host, port }) => openTcpProxy(`redis://${host}:${port}`)),
  )
  const natMap = Object.fromEntries(
    nodes.map(({ host, port }, at) => [
      `${host}:${port}`,
      { host: '127.0.0.1', port: proxies[at]?.port ?? 0 },
    ]),
  )
  const sides = await sidesOf(new Cluster(nodes, { natMap }), prefix)
  return {
    ...sides,
    traffic: () => sumOf(proxies),
    async close() {
      await sides.close()
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}

export async function redisClusterEngine({ url, version }: Service): Promise<Engine> {
  const prefix = freshName()
  return {
    name: 'Redis Cluster',
    version: `${version}, ${versionOf('ioredis')}`,
    bareAppend: REDIS_APPEND,
    goals: GOALS,
    ...(await sidesOf(new Cluster(nodesOf(url)), prefix)),
    wired: () => wiredCluster(url, prefix),
  }
}
