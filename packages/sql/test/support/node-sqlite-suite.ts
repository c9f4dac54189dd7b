import { join } from 'node:path'
import { type DatabaseSync, NodeSqliteDatabase } from '../../src/clients/node-sqlite.ts'
import { checkOptions } from '../../src/options.ts'
import { connectDriver } from '../../src/sql-storage.ts'

/** What Node has built in; `undefined` before Node 22.13. */
export const builtIn = process.getBuiltinModule('node:sqlite') as
  | { readonly DatabaseSync: new (file: string) => DatabaseSync }
  | undefined

/** The harness of the conformance suite over node:sqlite, wherever it runs. */
export const nodeSqliteSuite = {
  name: `node:sqlite of Node ${process.versions.node}, a connection for each process`,
  in: (folder: string) => ({
    async connect() {
      if (!builtIn) throw new Error('This Node has no node:sqlite.')
      const client = new builtIn.DatabaseSync(join(folder, 'suite.db'))
      client.prepare('PRAGMA busy_timeout = 250').get()
      client.prepare('PRAGMA journal_mode = WAL').get()
      // The suite cuts no power: waiting for the disk would only make it slow.
      client.prepare('PRAGMA synchronous = OFF').run()
      const driver = await connectDriver(new NodeSqliteDatabase(client), checkOptions())
      return { driver, close: async () => client.close() }
    },
  }),
}
