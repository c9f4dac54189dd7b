import { PgDialect, type Rows } from '../dialects/pg.ts'
import { bareError } from './bare-error.ts'
import type { Client } from './client.ts'
import { pgTransaction } from './pg-transaction.ts'

/** What is used of a PGlite client. */
interface PgliteClient {
  query(text: string, values: unknown[]): Promise<{ rows: Rows }>
  exec(text: string): Promise<unknown>
}

export const pglite: Client = {
  database: 'PgliteDatabase',
  transaction: 'PgliteTransaction',
  connect(db, { names }) {
    const { $client } = db as { $client?: Partial<PgliteClient> }
    if (typeof $client?.query !== 'function' || typeof $client.exec !== 'function') return undefined
    const client = $client as PgliteClient
    const run = async (text: string, values: unknown[]) => {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        throw bareError(error)
      }
    }
    return new PgDialect({ read: run, write: run, script: (text) => client.exec(text) }, names)
  },
  inTransaction: pgTransaction,
}
