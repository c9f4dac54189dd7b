import { join } from 'node:path'
import { testSessionDriver } from '@holdfast/conformance'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'
import { temporaryFolder } from './support/engines.ts'

const { path: folder, remove } = temporaryFolder()
runner.afterAll(remove)

testSessionDriver(
  'libSQL in a file, a client for each process',
  {
    async connect() {
      const client = createClient({ url: `file:${join(folder, 'suite.db')}`, timeout: 250 })
      await client.execute('PRAGMA journal_mode = WAL')
      // The suite cuts no power: waiting for the disk would only make it slow.
      await client.execute('PRAGMA synchronous = OFF')
      return { driver: await sqlDriver(drizzle(client)), close: async () => client.close() }
    },
  },
  runner,
)
