import { testSessionDriver } from '@holdfast/conformance'
import { redis, useService } from '@holdfast/services'
import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
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
  testSessionDriver(
    `${server.version}, ioredis 5, ttlMs and a keyPrefix`,
    {
      async connect() {
        const client = new Redis5(server.url, { keyPrefix: 'app:' })
        const driver = await redisDriver(client, { ttlMs: 3_600_000 })
        return { driver, close: async () => client.disconnect() }
      },
    },
    runner,
  )
}
