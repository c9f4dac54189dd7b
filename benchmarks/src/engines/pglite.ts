import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { sqlStorage } from '@holdfast/sql'
import { drizzle } from 'drizzle-orm/pglite'
import { barePostgres, PG_APPEND } from '../bare/postgres.ts'
import type { Engine } from '../engine.ts'
import { freshFolder } from '../folder.ts'
import { versionOf } from '../versions.ts'

/** One instance for both sides: each takes seconds to start and half a gigabyte. */
export async function pglite(): Promise<Engine> {
  const folder = freshFolder()
  const client = await PGlite.create(join(folder, 'pg'))
  let fresh = 0
  return {
    name: 'PGlite',
    version: versionOf('@electric-sql/pglite'),
    bareAppend: PG_APPEND,
    goals: { append: 1.3 },
    storage: await sqlStorage(drizzle(client)),
    bare: await barePostgres(
      'bare',
      async (text, values) => (await client.query(text, values)).rows,
      (text) => client.exec(text),
    ),
    async countingRows() {
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
      return { storage: await sqlStorage(drizzle(counted)), bytes: () => bytes }
    },
    async bytesOnDisk(fill) {
      const table = `disk${fresh++}`
      await fill(await sqlStorage(drizzle(client), { table }))
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
