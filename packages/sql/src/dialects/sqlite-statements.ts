import { quoted, type TableNames } from '../table-name.ts'
import { everyColumn } from './layout.ts'

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

/** Finds nothing, and fails where a table or a column is missing. */
export const sqliteProbe = (names: TableNames): string =>
  `SELECT ${everyColumn((name) => `"${name}"`)} FROM ${quoted(names, 'sessions')} s, ${quoted(names, 'entries')} e LIMIT 0`

type Texts = ReturnType<typeof sqliteTexts>

export type Statements = Readonly<Record<keyof Texts, Statement>>

/** Prepares every statement of a client whose calls return when they are done. */
export function prepareStatements(client: SqliteClient, names: TableNames): Statements {
  const prepared = Object.entries(sqliteTexts(names)).map(([name, text]) => [
    name,
    client.prepare(text),
  ])
  return Object.fromEntries(prepared)
}

/** The statements, whatever the client. */
export function sqliteTexts(names: TableNames) {
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
    read: `SELECT -1 AS n, CASE WHEN revision IS NOT ? THEN head END AS body, revision
         FROM ${sessions} WHERE id = ?
       UNION ALL
       SELECT e.n, e.body, NULL FROM ${sessions} s JOIN ${entries} e ON e.session = s.session AND e.n >= s."first" + ?
         WHERE s.id = ? AND s.revision IS NOT ?`,
    /** id, revision, head, number of entries */
    create: `INSERT INTO ${sessions} (id, revision, head, "first", "next") VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
    /** revision, head, number of entries, id, expected */
    replace: `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "next", "next" = "next" + ? ${guarded}`,
    /** revision, head, dropped, added, id, expected */
    append: `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? ${guarded}`,
    /** revision, head, dropped, added, id, expected, session, first, next */
    appendAt: `UPDATE ${sessions} SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? ${guarded}
         AND session = ? AND "first" = ? AND "next" = ?`,
    /** id */
    place: `${place} WHERE id = ?`,
    /** id, expected */
    placeAt: `${place} ${guarded}`,
    /** session, n, body */
    insert: `INSERT INTO ${entries} (session, n, body) VALUES (?, ?, ?)`,
    /** session, from, up to but not including */
    cut: `DELETE FROM ${entries} WHERE session = ? AND n >= ? AND n < ?`,
    /** id */
    remove: `DELETE FROM ${sessions} WHERE id = ?`,
    /** after, limit */
    list: `${page} ORDER BY id LIMIT ?`,
    /** after, before, limit */
    listBefore: `${page} AND id < ? ORDER BY id LIMIT ?`,
  }
}
