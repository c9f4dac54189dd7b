import { testSessionDriver } from '@holdfast/conformance'
import { plainRunner, redisCluster, useService } from '@holdfast/services'
import { Cluster } from 'ioredis5'
import * as runner from 'vitest'
import { redisDriver } from '../src/index.ts'
import { nodesOf } from './support/nodes.ts'

const server = await useService(redisCluster, runner)

if (server) {
  testSessionDriver(
    `${server.version}, ioredis 5, reads scaled to replicas, ttlMs and pipelines by itself`,
    {
      async connect() {
        const client = new Cluster(nodesOf(server.url), {
          scaleReads: 'slave',
          enableAutoPipelining: true,
        })
        const driver = await redisDriver(client, { ttlMs: 3_600_000 })
        return { driver, close: async () => client.disconnect() }
      },
    },
    plainRunner(runner),
  )
}
