import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { done, States } from './states.ts'

export const PG_APPEND =
  'one prepared statement: `WITH (UPDATE … WHERE id AND revision) INSERT … SELECT`'

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '~'

/** One statement of the client, prepared. */
export type RunPg = (text: string, values: (string | number)[]) => Promise<readonly unknown[]>

const statementsOf = (name: string) => ({
  tables: `
    CREATE TABLE IF NOT EXISTS ${name}_sessions ("session" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      "id" text COLLATE "C" PRIMARY KEY NOT NULL, "revision" text NOT NULL, "head" text NOT NULL,
      "first" bigint NOT NULL, "next" bigint NOT NULL) WITH (fillfactor = 50);
    CREATE TABLE IF NOT EXISTS ${name}_entries ("session" bigint NOT NULL, "n" bigint NOT NULL, "body" text NOT NULL,
      PRIMARY KEY ("session", "n"))`,
  create: `WITH created AS (INSERT INTO ${name}_sessions (id, revision, head, "first", "next")
      VALUES ($1, $2, $3, 0, $4::bigint) RETURNING session)
    INSERT INTO ${name}_entries SELECT created.session, n, $5::text FROM created, generate_series(0, $4::bigint - 1) AS n`,
  append: `WITH changed AS (UPDATE ${name}_sessions SET revision = $1, head = $2,
        "first" = "first" + $3::bigint, "next" = "next" + $4::bigint
      WHERE id = $5 AND revision = $6 RETURNING session, "first", "next")
    INSERT INTO ${name}_entries (session, n, body)
      SELECT changed.session, changed."next" - 1, $7::text FROM changed RETURNING 1 AS done`,
  point: `SELECT revision FROM ${name}_sessions WHERE id = $1`,
  page: `SELECT id, revision, head FROM ${name}_sessions WHERE id > $1 AND id < $2 ORDER BY id LIMIT 21`,
})

/** PostgreSQL by any client, in tables of that name. `script` runs several statements without values. */
export async function barePostgres(
  name: string,
  run: RunPg,
  script: (text: string) => Promise<unknown>,
): Promise<BareClient> {
  const { tables, create, append, point, page } = statementsOf(name)
  await script(tables)
  const next = revisions()
  const states = new States<string>()
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      await run(create, [id, revision, head, entries, body])
      states.set(id, revision)
    },
    async append(id, { head, body }, count) {
      for (let at = 0; at < count; at++) {
        const revision = next()
        const rows = await run(append, [revision, head, 0, 1, id, states.get(id), body])
        done(rows.length === 1)
        states.set(id, revision)
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) await run(point, [id])
    },
    async list(after) {
      for (const id of after) await run(page, [id, LAST_ID])
    },
  }
}
