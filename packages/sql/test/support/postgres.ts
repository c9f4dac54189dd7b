import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePostgresJs } from 'drizzle-orm/postgres-js'
import pg from 'pg'
import connect from 'postgres'
import type { Row } from './engines.ts'

export type PgDb = PgDatabase<PgQueryResultHKT>
export type ClientName = 'pg' | 'postgres'
export const clientNames: readonly ClientName[] = ['pg', 'postgres']

/** What a test opened, and how it is closed. */
export interface OpenPg {
  readonly db: PgDb
  close(): Promise<void>
}

/** A drizzle database over a pool of one of the two clients. */
export function openPg(client: ClientName, url: string, max = 4): OpenPg {
  if (client === 'postgres') {
    const sql = connect(url, { max })
    return { db: drizzlePostgresJs(sql), close: () => sql.end() }
  }
  const pool = new pg.Pool({ connectionString: url, max })
  return { db: drizzlePg(pool), close: () => pool.end() }
}

/** A raw connection beside everything else, which answers counts and places as numbers. */
export class PgProbe {
  readonly #pool: pg.Pool

  constructor(url: string) {
    this.#pool = new pg.Pool({
      connectionString: url,
      max: 2,
      types: {
        getTypeParser: (id, format) => (id === 20 ? Number : pg.types.getTypeParser(id, format)),
      },
    })
    this.#pool.on('error', () => {})
  }

  async query(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, values)).rows
  }

  close(): Promise<void> {
    return this.#pool.end()
  }
}

/** The same server with other credentials, another database or parameters. */
export function changedUrl(
  url: string,
  {
    user,
    password,
    database,
    parameters = {},
  }: {
    user?: string
    password?: string
    database?: string
    parameters?: Record<string, string>
  },
): string {
  const changed = new URL(url)
  if (user !== undefined) changed.username = user
  if (password !== undefined) changed.password = encodeURIComponent(password)
  if (database !== undefined) changed.pathname = `/${database}`
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value)
  return changed.href
}
