import { testSessionDriver } from '@holdfast/conformance'
import { plainRunner, redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis5'
import * as runner from 'vitest'
import { redisDriver } from '../src/index.ts'

const server = await useService(redis, runner)

if (server) {
  testSessionDriver(
    `${server.version}, ioredis 5, ttlMs and a keyPrefix`,
    {
      async connect() {
        const client = new Redis(server.url, { keyPrefix: 'app:' })
        const driver = await redisDriver(client, { ttlMs: 3_600_000 })
        return { driver, close: async () => client.disconnect() }
      },
    },
    plainRunner(runner),
  )
}
