import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { PgDialect, type RunPg } from '../dialects/pg.ts'
import type { Client } from './client.ts'

/** What is used of a PGlite client. */
interface PgliteClient {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}

export const pglite: Client = {
  database: 'PgliteDatabase',
  transaction: 'PgliteTransaction',
  connect(given, { names }) {
    const db = given as PgDatabase<PgQueryResultHKT> & { $client?: Partial<PgliteClient> }
    if (typeof db.$client?.query !== 'function') return undefined
    const client = db.$client as PgliteClient
    const run: RunPg = async (text, values) => {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        // The client keeps the parameters on its errors: items, which must not reach a log.
        if (error instanceof Error) Reflect.deleteProperty(error, 'params')
        throw error
      }
    }
    return new PgDialect(db, run, names)
  },
  inTransaction: 'a storage needs the database itself.',
}
