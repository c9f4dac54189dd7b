import { testSessionDriver } from '@holdfast/conformance'
import { plainRunner, postgres, useService } from '@holdfast/services'
import { drizzle } from 'drizzle-orm/postgres-js'
import connect from 'postgres'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'

const server = await useService(postgres, runner)

if (server) {
  testSessionDriver(
    `${server.version} through postgres.js, a pool for each process`,
    {
      async connect() {
        const client = connect(server.url, { max: 4 })
        return { driver: await sqlDriver(drizzle(client)), close: () => client.end() }
      },
    },
    plainRunner(runner),
  )
}
