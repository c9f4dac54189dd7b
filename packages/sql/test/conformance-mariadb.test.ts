import { testSessionDriver } from '@holdfast/conformance'
import { mariadb, useService } from '@holdfast/services'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2/promise'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'

const server = await useService(mariadb, runner)

if (server) {
  testSessionDriver(
    `${server.version} through mysql2, a pool for each process`,
    {
      async connect() {
        const pool = createPool({ uri: server.url, connectionLimit: 5 })
        return { driver: await sqlDriver(drizzle(pool)), close: () => pool.end() }
      },
    },
    runner,
  )
}
