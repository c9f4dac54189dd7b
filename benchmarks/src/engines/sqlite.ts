import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sqlStorage } from '@holdfast/sql'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { bareSqlite, SQLITE_APPEND } from '../bare/sqlite.ts'
import type { Engine } from '../engine.ts'
import { freshFolder } from '../folder.ts'
import { versionOf } from '../versions.ts'

/** As `openSql` sets it. */
function open(file: string): Database.Database {
  const client = new Database(file)
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  return client
}

export async function betterSqlite3(): Promise<Engine> {
  const folder = freshFolder()
  const ours = open(join(folder, 'ours.db'))
  const theirs = open(join(folder, 'bare.db'))
  let fresh = 0
  return {
    name: 'SQLite, better-sqlite3',
    version: versionOf('better-sqlite3'),
    bareAppend: SQLITE_APPEND,
    goals: { append: 2 },
    storage: await sqlStorage(drizzle(ours)),
    bare: bareSqlite(theirs),
    async countingRows() {
      let bytes = 0
      const client = countRows(ours, (row) => {
        bytes += JSON.stringify(row).length
      })
      return { storage: await sqlStorage(drizzle(client)), bytes: () => bytes }
    },
    async bytesOnDisk(fill) {
      const file = join(folder, `disk-${fresh++}.db`)
      const client = open(file)
      await fill(await sqlStorage(drizzle(client)))
      client.pragma('wal_checkpoint(TRUNCATE)')
      client.close()
      return statSync(file).size
    },
    async close() {
      ours.close()
      theirs.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A client whose statements show each row that they return. */
function countRows(client: Database.Database, seen: (row: unknown) => void): Database.Database {
  const bound = <T extends object>(target: T, key: string | symbol) => {
    const value: unknown = Reflect.get(target, key)
    return typeof value === 'function' ? value.bind(target) : value
  }
  return new Proxy(client, {
    get(target, key) {
      if (key !== 'prepare') return bound(target, key)
      return (text: string) =>
        new Proxy(target.prepare(text), {
          get(statement, method) {
            const value = bound(statement, method)
            if (method !== 'all' && method !== 'get') return value
            return (...values: unknown[]) => {
              const answer: unknown = value(...values)
              for (const row of Array.isArray(answer) ? answer : [answer]) seen(row ?? null)
              return answer
            }
          },
        })
    },
  })
}
