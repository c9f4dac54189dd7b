import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { done, States } from './states.ts'

export const LIBSQL_APPEND =
  'one `batch` of `UPDATE … WHERE id AND revision` and `INSERT … SELECT … WHERE revision`'

interface Statement {
  readonly sql: string
  readonly args: (string | number)[]
}

/** What is used of a client of @libsql/client. */
export interface BareLibsqlClient {
  execute(statement: Statement): Promise<unknown>
  batch(statements: Statement[], mode: 'write'): Promise<{ readonly rowsAffected: number }[]>
  executeMultiple(text: string): Promise<void>
}

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '~'

const create =
  'INSERT INTO bare_sessions (id, revision, head, "first", "next") VALUES (?, ?, ?, 0, ?)'
const update =
  'UPDATE bare_sessions SET revision = ?, head = ?, "first" = "first" + ?, "next" = "next" + ? WHERE id = ? AND revision = ?'
const insert = `INSERT INTO bare_entries (session, n, body)
  SELECT session, "next" - ?, ? FROM bare_sessions WHERE id = ? AND revision = ?`
const point = 'SELECT revision FROM bare_sessions WHERE id = ?'
const page =
  'SELECT id, revision, head FROM bare_sessions WHERE id > ? AND id < ? ORDER BY id LIMIT 21'

export async function bareLibsql(client: BareLibsqlClient): Promise<BareClient> {
  await client.executeMultiple(`
    CREATE TABLE bare_sessions ("session" integer PRIMARY KEY NOT NULL, "id" text NOT NULL UNIQUE,
      "revision" text NOT NULL, "head" text NOT NULL, "first" integer NOT NULL, "next" integer NOT NULL);
    CREATE TABLE bare_entries ("session" integer NOT NULL, "n" integer NOT NULL, "body" text NOT NULL,
      PRIMARY KEY ("session", "n"));`)
  const next = revisions()
  const states = new States<string>()
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      const rows = Array.from({ length: entries }, (_, n) => ({
        sql: insert,
        args: [entries - n, body, id, revision],
      }))
      await client.batch([{ sql: create, args: [id, revision, head, entries] }, ...rows], 'write')
      states.set(id, revision)
    },
    async append(id, { head, body }, count) {
      for (let at = 0; at < count; at++) {
        const revision = next()
        const [updated] = await client.batch(
          [
            { sql: update, args: [revision, head, 0, 1, id, states.get(id)] },
            { sql: insert, args: [1, body, id, revision] },
          ],
          'write',
        )
        done(updated?.rowsAffected === 1)
        states.set(id, revision)
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) await client.execute({ sql: point, args: [id] })
    },
    async list(after) {
      for (const id of after) await client.execute({ sql: page, args: [id, LAST_ID] })
    },
  }
}
