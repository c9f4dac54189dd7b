import { testSessionDriver } from '@holdfast/conformance'
import { plainRunner, redisCluster, useService } from '@holdfast/services'
import { Cluster } from 'ioredis'
import * as runner from 'vitest'
import { redisDriver } from '../src/index.ts'
import { nodesOf } from './support/nodes.ts'

const server = await useService(redisCluster, runner)

if (server) {
  testSessionDriver(
    `${server.version}, ioredis 6`,
    {
      async connect() {
        const client = new Cluster(nodesOf(server.url))
        return { driver: await redisDriver(client), close: async () => client.disconnect() }
      },
    },
    plainRunner(runner),
  )
}
