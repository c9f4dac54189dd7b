import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { sqlDriver } from '@holdfast/sql'
import { drizzle } from 'drizzle-orm/pglite'
import { revisions } from './bytes.ts'
import type { BareClient, Engine } from './engine.ts'
import { freshFolder } from './folder.ts'

/** One instance for both sides: each takes seconds to start and half a gigabyte. */
export async function pgliteEngine(): Promise<Engine> {
  const folder = freshFolder()
  const client = await PGlite.create(join(folder, 'pg'))
  let fresh = 0
  return {
    name: 'pglite',
    statements: 'one statement: WITH (UPDATE … WHERE id AND revision) INSERT … SELECT',
    driver: await sqlDriver(drizzle(client)),
    async counting() {
      let bytes = 0
      const counted = new Proxy(client, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key)
          if (typeof value !== 'function') return value
          if (key !== 'query') return value.bind(target)
          return async (...args: Parameters<PGlite['query']>) => {
            const answer = await target.query(...args)
            for (const row of answer.rows) bytes += JSON.stringify(row).length
            return answer
          }
        },
      })
      return { driver: await sqlDriver(drizzle(counted)), bytes: () => bytes }
    },
    bare: await barePglite(client),
    async bytesOnDisk(fill) {
      const table = `disk${fresh++}`
      await fill(await sqlDriver(drizzle(client), { table }))
      await client.exec('CHECKPOINT')
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT pg_total_relation_size('${table}_sessions') + pg_total_relation_size('${table}_entries') AS bytes`,
      )
      return Number(rows[0]?.bytes)
    },
    async close() {
      await client.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function barePglite(client: PGlite): Promise<BareClient> {
  await client.exec(`
    CREATE TABLE bare_sessions ("session" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      "id" text COLLATE "C" PRIMARY KEY NOT NULL, "revision" text NOT NULL, "head" text NOT NULL,
      "first" bigint NOT NULL, "next" bigint NOT NULL) WITH (fillfactor = 50);
    CREATE TABLE bare_entries ("session" bigint NOT NULL, "n" bigint NOT NULL, "body" text NOT NULL,
      PRIMARY KEY ("session", "n"));`)
  const append = `WITH changed AS (UPDATE bare_sessions SET revision = $1, head = $2, "next" = "next" + 1
      WHERE id = $3 AND revision = $4 RETURNING session, "next")
    INSERT INTO bare_entries (session, n, body)
      SELECT changed.session, changed."next" - 1, $5::text FROM changed RETURNING 1 AS done`
  const point = 'SELECT revision FROM bare_sessions WHERE id = $1'
  const page = 'SELECT id, revision, head FROM bare_sessions WHERE id > $1 ORDER BY id LIMIT 21'
  const next = revisions('0'.repeat(20))
  const states = new Map<string, string>()
  return {
    async create(id, { head, body }, entries) {
      const revision = next()
      await client.transaction(async (tx) => {
        const { rows } = await tx.query<{ session: number }>(
          `INSERT INTO bare_sessions (id, revision, head, "first", "next")
            VALUES ($1, $2, $3, 0, $4) RETURNING session`,
          [id, revision, head, entries],
        )
        await tx.query(
          'INSERT INTO bare_entries SELECT $1::bigint, n, $2::text FROM generate_series(0, $3::int - 1) AS n',
          [rows[0]?.session, body, entries],
        )
      })
      states.set(id, revision)
    },
    async append(id, { head, body }, count) {
      for (let at = 0; at < count; at++) {
        const revision = next()
        const { rows } = await client.query(append, [revision, head, id, states.get(id), body])
        if (rows.length !== 1) throw new Error('lost')
        states.set(id, revision)
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) await client.query(point, [id])
    },
    async list(after) {
      for (const id of after) await client.query(page, [id])
    },
  }
}
