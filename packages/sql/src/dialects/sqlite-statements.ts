import { quoted, type TableNames } from '../table-name.ts'

type Value = string | number | null

export interface Statement {
  run(...values: Value[]): { readonly changes: number | bigint }
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
}

/** The handful of methods used of a synchronous SQLite client. */
export interface SqliteClient {
  readonly inTransaction: boolean
  prepare(text: string): Statement
}

/**
 * The tables, as `drizzle-kit` makes them from `sqliteTables()`. Ordinary rowid tables: WITHOUT ROWID
 * keeps rows in the index's tree, whose pages hold one row of 1 KB and are three quarters empty.
 */
export function sqliteDefinition(names: TableNames): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'sessions')} (
      "session" integer PRIMARY KEY NOT NULL, "id" text NOT NULL UNIQUE,
      "revision" text NOT NULL, "head" text NOT NULL, "first" integer NOT NULL, "next" integer NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${quoted(names, 'entries')} (
      "session" integer NOT NULL, "n" integer NOT NULL, "body" text NOT NULL, PRIMARY KEY ("session", "n"))`,
  ]
}

export type Statements = ReturnType<typeof prepareStatements>

export function prepareStatements(client: SqliteClient, names: TableNames) {
  const sessions = quoted(names, 'sessions')
  const entries = quoted(names, 'entries')
  const guarded = 'WHERE id = ? AND revision = ?'
  const place = `SELECT session, "first", "next" FROM ${sessions}`
  const page = `SELECT id, revision, head FROM ${sessions} WHERE id > ?`
  return {
    /**
     * unless, id, skip, id, unless. One statement, so that head and entries are of one state. Its rows
     * are put in order by who reads them: an ORDER BY over both parts doubles the cost of a short read.
     */
    read: client.prepare(
      `SELECT -1 AS n, CASE WHEN revision IS NOT ? THEN head END AS body, revision
         FROM ${sessions} WHERE id = ?
       UNION ALL
       SELECT e.n, e.body, NULL FROM ${sessions} s JOIN ${entries} e ON e.session = s.session AND e.n >= s."first" + ?
         WHERE s.id = ? AND s.revision IS NOT ?`,
    ),
    /** id, revision, head, number of entries */
    create: client.prepare(
      `INSERT INTO ${sessions} (id, revision, head, "first", "next") VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
    ),
    /** revision, head, number of entries, id, expected */
    replace: client.prepare(
      `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "next", "next" = "next" + ? ${guarded}`,
    ),
    /** revision, head, dropped, added, id, expected */
    append: client.prepare(
      `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? ${guarded}`,
    ),
    /** revision, head, dropped, added, id, expected, session, first, next */
    appendAt: client.prepare(
      `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? ${guarded}
         AND session = ? AND "first" = ? AND "next" = ?`,
    ),
    /** id */
    place: client.prepare(`${place} WHERE id = ?`),
    /** id, expected */
    placeAt: client.prepare(`${place} ${guarded}`),
    /** session, n, body */
    insert: client.prepare(`INSERT INTO ${entries} (session, n, body) VALUES (?, ?, ?)`),
    /** session, from, up to but not including */
    cut: client.prepare(`DELETE FROM ${entries} WHERE session = ? AND n >= ? AND n < ?`),
    /** id */
    remove: client.prepare(`DELETE FROM ${sessions} WHERE id = ?`),
    /** after, limit */
    list: client.prepare(`${page} ORDER BY id LIMIT ?`),
    /** after, before, limit */
    listBefore: client.prepare(`${page} AND id < ? ORDER BY id LIMIT ?`),
  }
}
