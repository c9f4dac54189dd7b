import { PgDialect, type Rows } from '../dialects/pg.ts'
import type { CheckedOptions } from '../options.ts'
import { bareError } from './bare-error.ts'
import type { Client } from './client.ts'
import { pgTransaction } from './pg-transaction.ts'

/** What is used of a postgres.js client. */
export interface PostgresJsClient {
  unsafe(text: string, values?: unknown[], options?: { prepare: boolean }): Promise<Rows>
}

export const postgresJs: Client = {
  database: 'PostgresJsDatabase',
  transaction: 'PostgresJsTransaction',
  connect(db, options) {
    const { $client } = db as { $client?: Partial<PostgresJsClient> }
    if (typeof $client?.unsafe !== 'function') return undefined
    return postgresJsDialect($client as PostgresJsClient, options)
  },
  inTransaction: pgTransaction,
}

export function postgresJsDialect(
  client: PostgresJsClient,
  { names, prepare }: CheckedOptions,
): PgDialect {
  const run = async (text: string, values: unknown[]) => {
    try {
      // A client made with `prepare: false` stays with that, and one that finds its statement gone retries by itself.
      const rows = await client.unsafe(text, values, { prepare })
      // The client's own kind of array, with much of the client behind it, is nobody's to keep.
      return Array.from(rows)
    } catch (error) {
      throw bareError(error)
    }
  }
  return new PgDialect({ read: run, write: run, script: (text) => client.unsafe(text) }, names)
}
