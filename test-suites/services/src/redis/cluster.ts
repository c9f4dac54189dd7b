import { setTimeout as sleep } from 'node:timers/promises'
import { foundService } from '../found-service.ts'
import { findProgram } from '../process/find-program.ts'
import { startOwned } from '../process/owned-service.ts'
import { freePort } from '../process/ports.ts'
import { Stage } from '../process/stage.ts'
import type { Service, ServiceSetup } from '../service.ts'
import { version, withRedis } from './client.ts'
import { redisServer } from './server.ts'

const SLOTS = 16_384
const MASTERS = 3
const FORMED_MS = 30_000

const address = (port: number) => `redis://127.0.0.1:${port}`

/** The first and the last slot of one of the masters. */
function slotsOf(index: number): [number, number] {
  const first = (i: number) => Math.ceil((SLOTS * i) / MASTERS)
  return [first(index), first(index + 1) - 1]
}

async function field(port: number, name: string): Promise<string | undefined> {
  return await withRedis(address(port), async (client) => {
    const info = String(await client.call('CLUSTER', 'INFO'))
    return new RegExp(`^${name}:(\\w+)`, 'm').exec(info)?.[1]
  })
}

/** Gives each master its share of the slots and lets them meet. */
async function form(ports: readonly number[]): Promise<void> {
  for (const [index, port] of ports.entries()) {
    await withRedis(address(port), async (client) => {
      const [first, last] = slotsOf(index)
      await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last)
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    })
  }
  const [first, ...others] = ports
  if (first === undefined) return
  await withRedis(address(first), async (client) => {
    for (const port of others) await client.call('CLUSTER', 'MEET', '127.0.0.1', port)
  })
}

/** Resolves when every master sees all the others and serves. */
async function formed(ports: readonly number[]): Promise<void> {
  const deadline = Date.now() + FORMED_MS
  for (const port of ports) {
    while (
      (await field(port, 'cluster_state')) !== 'ok' ||
      (await field(port, 'cluster_known_nodes')) !== `${MASTERS}`
    ) {
      if (Date.now() > deadline) throw new Error(`The cluster did not form in ${FORMED_MS} ms.`)
      await sleep(50)
    }
  }
}

function start(): Promise<Service> {
  const command = findProgram('redis-server', 'valkey-server')
  return startOwned(
    () => new Stage('redis-cluster'),
    async ({ folder }) => {
      const ports: number[] = []
      while (ports.length < MASTERS) {
        const port = await freePort()
        if (!ports.includes(port)) ports.push(port)
      }
      const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
      return {
        url: `redis-cluster://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
        servers: ports.map((port) => redisServer(command, folder, port, args)),
        settle: async () => {
          const [first = 0] = ports
          if ((await field(first, 'cluster_slots_assigned')) === '0') await form(ports)
          await formed(ports)
        },
        version: async () => `${await version(address(ports[0] ?? 0))} Cluster`,
      }
    },
  )
}

/** The address of a node of a cluster, of a URL that may name several. */
function firstNode(url: string): string {
  return (
    url
      .replace(/^redis-cluster:/, 'redis:')
      .replace(/^rediss-cluster:/, 'rediss:')
      .split(',')[0] ?? url
  )
}

/** Three masters without replicas, by the program `redis-server` or `valkey-server`. */
export const redisCluster: ServiceSetup = {
  name: 'Redis Cluster',
  variable: 'HOLDFAST_REDIS_CLUSTER_URL',
  start: async () => start(),
  connect: async (url) => foundService(url, `${await version(firstNode(url))} Cluster`),
}
