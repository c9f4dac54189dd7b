import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { done, States } from './states.ts'

export const SQLITE_APPEND =
  'prepared `BEGIN IMMEDIATE`; `UPDATE … WHERE id AND revision`; `INSERT`; `COMMIT`'

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '~'

type Value = string | number

interface Statement {
  run(...values: Value[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  get(...values: Value[]): unknown
  all(...values: Value[]): unknown[]
}

/** better-sqlite3 and node:sqlite alike. */
export interface BareSqliteClient {
  exec(text: string): unknown
  prepare(text: string): Statement
}

interface State {
  readonly session: number
  revision: string
  count: number
}

/** SQLite through a client whose calls return when they are done. */
export function bareSqlite(client: BareSqliteClient): BareClient {
  client.exec(`
    CREATE TABLE bare_sessions ("session" integer PRIMARY KEY NOT NULL, "id" text NOT NULL UNIQUE,
      "revision" text NOT NULL, "head" text NOT NULL, "first" integer NOT NULL, "next" integer NOT NULL);
    CREATE TABLE bare_entries ("session" integer NOT NULL, "n" integer NOT NULL, "body" text NOT NULL,
      PRIMARY KEY ("session", "n"));`)
  const begin = client.prepare('BEGIN IMMEDIATE')
  const commit = client.prepare('COMMIT')
  const create = client.prepare(
    'INSERT INTO bare_sessions (id, revision, head, "first", "next") VALUES (?, ?, ?, 0, ?)',
  )
  const update = client.prepare(
    'UPDATE bare_sessions SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? WHERE id = ? AND revision = ?',
  )
  const insert = client.prepare('INSERT INTO bare_entries (session, n, body) VALUES (?, ?, ?)')
  const point = client.prepare('SELECT revision FROM bare_sessions WHERE id = ?')
  const page = client.prepare(
    'SELECT id, revision, head FROM bare_sessions WHERE id > ? AND id < ? ORDER BY id LIMIT 21',
  )
  const next = revisions()
  const states = new States<State>()
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      begin.run()
      const session = Number(create.run(id, revision, head, entries).lastInsertRowid)
      for (let n = 0; n < entries; n++) insert.run(session, n, body)
      commit.run()
      states.set(id, { session, revision, count: entries })
    },
    append(id, { head, body }, count) {
      const state = states.get(id)
      for (let at = 0; at < count; at++) {
        const revision = next()
        begin.run()
        done(update.run(revision, head, 0, 1, id, state.revision).changes === 1)
        insert.run(state.session, state.count++, body)
        commit.run()
        state.revision = revision
      }
    },
    readRevision(id, count) {
      for (let at = 0; at < count; at++) point.get(id)
    },
    list(after) {
      for (const id of after) page.all(id, LAST_ID)
    },
  }
}
