import { testSessionDriver } from '@holdfast/conformance'
import { postgres, useService } from '@holdfast/services'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'

const server = await useService(postgres, runner)

if (server) {
  testSessionDriver(
    `${server.version} through pg, a pool for each process`,
    {
      async connect() {
        const pool = new pg.Pool({ connectionString: server.url, max: 4 })
        return { driver: await sqlDriver(drizzle(pool)), close: () => pool.end() }
      },
    },
    runner,
  )
}
