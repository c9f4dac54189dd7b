import { SqliteDialect } from '../dialects/sqlite.ts'
import type { SqliteClient } from '../dialects/sqlite-statements.ts'
import type { Client } from './client.ts'

export const betterSqlite3: Client = {
  database: 'BetterSQLite3Database',
  transaction: 'BetterSQLiteTransaction',
  connect(db, { names, busyTimeoutMs }) {
    const client = (db as { $client?: Partial<SqliteClient> }).$client
    if (typeof client?.prepare !== 'function') return undefined
    const sqlite = client as SqliteClient
    if (busyTimeoutMs !== undefined) sqlite.prepare(`PRAGMA busy_timeout = ${busyTimeoutMs}`).get()
    return new SqliteDialect(sqlite, names)
  },
  inTransaction:
    "better-sqlite3's transactions end before anything can be awaited in them. Begin one by hand on the same connection (BEGIN … COMMIT): a storage over the database then writes inside it.",
}
