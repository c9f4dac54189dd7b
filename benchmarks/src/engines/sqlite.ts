import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sqlDriver } from '@holdfast/sql'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { revisions } from './bytes.ts'
import type { BareClient, Engine } from './engine.ts'
import { freshFolder } from './folder.ts'

/** As `openSql` sets it. */
function open(file: string): Database.Database {
  const client = new Database(file)
  client.pragma('journal_mode = WAL')
  client.pragma('synchronous = FULL')
  return client
}

export async function sqliteEngine(): Promise<Engine> {
  const folder = freshFolder()
  const ours = open(join(folder, 'ours.db'))
  const theirs = open(join(folder, 'bare.db'))
  let fresh = 0
  return {
    name: 'sqlite',
    statements: 'BEGIN IMMEDIATE; UPDATE … WHERE id AND revision; INSERT; COMMIT',
    driver: await sqlDriver(drizzle(ours)),
    async counting() {
      let bytes = 0
      const client = countRows(ours, (row) => {
        bytes += JSON.stringify(row).length
      })
      return { driver: await sqlDriver(drizzle(client)), bytes: () => bytes }
    },
    bare: bareSqlite(theirs),
    async bytesOnDisk(fill) {
      const file = join(folder, `disk-${fresh++}.db`)
      const client = open(file)
      await fill(await sqlDriver(drizzle(client)))
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

function bareSqlite(client: Database.Database): BareClient {
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
    'UPDATE bare_sessions SET revision = ?, head = ?, "next" = "next" + 1 WHERE id = ? AND revision = ?',
  )
  const insert = client.prepare('INSERT INTO bare_entries (session, n, body) VALUES (?, ?, ?)')
  const point = client.prepare('SELECT revision FROM bare_sessions WHERE id = ?')
  const page = client.prepare(
    'SELECT id, revision, head FROM bare_sessions WHERE id > ? ORDER BY id LIMIT 21',
  )
  const next = revisions('0'.repeat(20))
  const states = new Map<string, { session: number; revision: string; count: number }>()
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
      if (!state) throw new Error(`${id} was not created`)
      for (let at = 0; at < count; at++) {
        const revision = next()
        begin.run()
        if (update.run(revision, head, id, state.revision).changes !== 1) throw new Error('lost')
        insert.run(state.session, state.count++, body)
        commit.run()
        state.revision = revision
      }
    },
    readRevision(id, count) {
      for (let at = 0; at < count; at++) point.get(id)
    },
    list(after) {
      for (const id of after) page.all(id)
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
