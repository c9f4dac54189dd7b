import { join } from 'node:path'
import { mariadb, postgres, useService } from '@holdfast/services'
import { createClient } from '@libsql/client'
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import mysql from 'mysql2'
import * as runner from 'vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { type DrizzleDatabase, sqlStorage } from '../src/index.ts'
import { type Engine, pgliteEngine, sqliteEngine, temporaryFolder } from './support/engines.ts'
import { clientNames, openPg, PgProbe } from './support/postgres.ts'

const { path: folder, remove } = temporaryFolder()
afterAll(remove)

interface Database {
  readonly db: DrizzleDatabase
  run(text: string): Promise<unknown>
  close(): Promise<unknown>
}

const overEngine = ({ db, query, close }: Engine): Database => ({
  db,
  run: (text) => query(text),
  close,
})

const onPostgres = await useService(postgres, runner)
const onMariadb = await useService(mariadb, runner)

const databases: [string, () => Database | Promise<Database>][] = [
  ['SQLite', () => overEngine(sqliteEngine())],
  [
    'libSQL',
    () => {
      const client = createClient({ url: `file:${join(folder, 'layout.db')}` })
      const close = async () => client.close()
      return { db: drizzleLibsql(client), run: (text) => client.execute(text), close }
    },
  ],
  ['PGlite', async () => overEngine(await pgliteEngine())],
]
if (onPostgres) {
  for (const name of clientNames) {
    databases.push([
      `${onPostgres.version} through ${name}`,
      () => {
        const probe = new PgProbe(onPostgres.url)
        const { db, close } = openPg(name, onPostgres.url)
        const both = () => Promise.all([probe.close(), close()])
        return { db, run: (text) => probe.query(text), close: both }
      },
    ])
  }
}
if (onMariadb) {
  databases.push([
    onMariadb.version,
    () => {
      const pool = mysql.createPool(onMariadb.url)
      const close = () => pool.promise().end()
      return { db: drizzleMysql(pool), run: (text) => pool.promise().query(text), close }
    },
  ])
}

describe.each(databases)('what a later version left behind in %s', (version, open) => {
  it('is UNSUPPORTED with the remedy: tables of another layout, and a session of another format', async () => {
    const { db, run, close } = await open()
    const table = 'layout'
    for (const name of ['sessions', 'entries']) await run(`DROP TABLE IF EXISTS layout_${name}`)
    const storage = await sqlStorage(db, { table })
    await storage.memory('a').addUserInput('x')
    // A column of the user's own is nobody's concern.
    await run('ALTER TABLE layout_sessions ADD COLUMN tenant int')
    const again = await sqlStorage(db, { table })
    await again.memory('b').addUserInput('y')
    expect((await again.listMemories()).memories).toHaveLength(2)

    await run(`UPDATE layout_sessions SET head = replace(head, '"v":1', '"v":2')`)
    const newer = { code: 'UNSUPPORTED', message: expect.stringContaining('Upgrade') }
    const fresh = await sqlStorage(db, { table })
    await expect(fresh.memory('a').getItems()).rejects.toMatchObject(newer)
    await expect(fresh.memory('a').addUserInput('z')).rejects.toMatchObject(newer)

    await run('ALTER TABLE layout_entries RENAME COLUMN body TO content')
    await expect(sqlStorage(db, { table })).rejects.toMatchObject(newer)
    await run('ALTER TABLE layout_entries RENAME COLUMN content TO body')
    // In double quotes a column that is missing may be a text to SQLite.
    for (const column of ['first', 'next', 'head']) {
      const [from, to] = [column, `${column}_of_2`]
      const quote = (name: string) => (onMariadb?.version === version ? `\`${name}\`` : `"${name}"`)
      await run(`ALTER TABLE layout_sessions RENAME COLUMN ${quote(from)} TO ${quote(to)}`)
      await expect(sqlStorage(db, { table })).rejects.toMatchObject(newer)
      await run(`ALTER TABLE layout_sessions RENAME COLUMN ${quote(to)} TO ${quote(from)}`)
    }
    await sqlStorage(db, { table })
    for (const name of ['sessions', 'entries']) await run(`DROP TABLE layout_${name}`)
    await close()
  })
})
