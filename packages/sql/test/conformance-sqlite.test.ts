import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testSessionDriver } from '@holdfast/conformance'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as runner from 'vitest'
import { sqlDriver } from '../src/index.ts'

let folder: string

runner.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-sql-'))
})
runner.afterAll(() => rm(folder, { recursive: true, force: true }))

testSessionDriver(
  'SQLite, a connection for each process',
  {
    async connect() {
      const client = new Database(join(folder, 'suite.db'), { timeout: 250 })
      client.pragma('journal_mode = WAL')
      // The suite cuts no power: waiting for the disk would only make it slow.
      client.pragma('synchronous = OFF')
      const driver = await sqlDriver(drizzle(client))
      return { driver, close: async () => void client.close() }
    },
  },
  runner,
)
