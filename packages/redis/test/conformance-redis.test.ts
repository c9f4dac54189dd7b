import { testSessionDriver } from '@holdfast/conformance'
import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import * as runner from 'vitest'
import { redisDriver } from '../src/index.ts'

const server = await useService(redis, runner)

if (server) {
  testSessionDriver(
    `${server.version}, ioredis 6`,
    {
      async connect() {
        const client = new Redis(server.url)
        return { driver: await redisDriver(client), close: async () => client.disconnect() }
      },
    },
    runner,
  )
}
