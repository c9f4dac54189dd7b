import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import type { DrizzleDatabase } from '../../src/index.ts'

export type Row = Record<string, unknown>

/** A database with its raw client as an independent probe. */
export interface Engine {
  readonly name: string
  readonly db: DrizzleDatabase
  /** Rows by the raw client; `$1`, `$2`… are parameters. */
  query(text: string, ...values: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-sql-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export function sqliteEngine(file = ':memory:'): Engine {
  const client = new Database(file, { timeout: 250 })
  client.pragma('journal_mode = WAL')
  return {
    name: 'SQLite',
    db: drizzleSqlite(client),
    async query(text, ...values) {
      const statement = client.prepare(text.replaceAll(/\$\d+/g, '?'))
      if (statement.reader) return statement.all(...values) as Row[]
      statement.run(...values)
      return []
    },
    close: async () => void client.close(),
  }
}

export async function pgliteEngine(): Promise<Engine> {
  const client = new PGlite()
  await client.waitReady
  return {
    name: 'PGlite',
    db: drizzlePglite(client),
    query: async (text, ...values) => (await client.query<Row>(text, values)).rows,
    close: () => client.close(),
  }
}
