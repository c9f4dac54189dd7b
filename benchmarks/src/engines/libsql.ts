import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sqlStorage } from '@holdfast/sql'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { bareLibsql, LIBSQL_APPEND } from '../bare/libsql.ts'
import type { Engine } from '../engine.ts'
import { freshFolder } from '../folder.ts'
import { versionOf } from '../versions.ts'

/** As `openSql` sets it. */
async function open(file: string) {
  const client = createClient({ url: pathToFileURL(file).href, concurrency: 1 })
  await client.execute('PRAGMA journal_mode = WAL')
  await client.execute('PRAGMA synchronous = FULL')
  return client
}

/** A file: no wire. */
export async function libsqlFile(): Promise<Engine> {
  const folder = freshFolder()
  const ours = await open(join(folder, 'ours.db'))
  const theirs = await open(join(folder, 'bare.db'))
  return {
    name: 'libSQL, file',
    version: versionOf('@libsql/client'),
    bareAppend: LIBSQL_APPEND,
    goals: { append: 2 },
    storage: await sqlStorage(drizzle(ours)),
    bare: await bareLibsql(theirs),
    async close() {
      ours.close()
      theirs.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
