import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql } from '../src/index.ts'
import { temporaryFolder } from './support/engines.ts'
import { buildPrograms, type Programs } from './support/programs.ts'

const { path: folder, remove } = temporaryFolder()
let programs: Programs

beforeAll(async () => {
  programs = await buildPrograms('set-up')
})
afterAll(() => {
  programs.remove()
  remove()
})

describe('setup on SQLite', () => {
  it('succeeds in ten processes at once, and each stores its session', async () => {
    const file = join(folder, 'ten.db')
    const ids = Array.from({ length: 10 }, (_, i) => `process-${i}`)
    const results = await Promise.all(
      ids.map((id) => programs.start('set-up', [`sqlite:${file}`, id]).ended),
    )
    for (const { output } of results) expect(output).toBe('done\n')
    const client = new Database(file, { readonly: true })
    const stored = client.prepare('SELECT id FROM holdfast_sessions ORDER BY id').pluck().all()
    expect(stored).toEqual(ids.map((id) => `m0:${id}`))
    client.close()
  })

  it('waits for another connection that holds the file before it changes to WAL', async () => {
    const file = join(folder, 'locked.db')
    const other = new Database(file)
    other.exec('CREATE TABLE theirs (x); BEGIN EXCLUSIVE; INSERT INTO theirs VALUES (1)')
    const opening = openSql(`sqlite:${file}`, { busyTimeoutMs: 0 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    other.exec('COMMIT')
    await (await opening).close()
    const fresh = new Database(file)
    expect(fresh.pragma('journal_mode', { simple: true })).toBe('wal')
    fresh.close()
    other.close()
  })

  it('opens files in folders that do not exist yet, with WAL and synchronous FULL', async () => {
    const file = join(folder, 'new/deep/agent.db')
    const storage = await openSql(`sqlite:${file}`)
    await storage.memory('a').addUserInput('x')
    expect(existsSync(`${file}-wal`)).toBe(true)
    await storage.close()
    // The last connection to leave takes the log along: it was closed, and by us.
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  it('makes nothing when it is turned off', async () => {
    const file = join(folder, 'off.db')
    const storage = await openSql(`sqlite:${file}`, { setup: false })
    await expect(storage.memory('a').getItems()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    await storage.close()
    const client = new Database(file, { readonly: true })
    expect(client.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
    client.close()
  })

  it('keeps its tables in an attached database where the name says so', async () => {
    const { drizzle } = await import('drizzle-orm/better-sqlite3')
    const { sqlStorage } = await import('../src/index.ts')
    const client = new Database(':memory:')
    client.prepare('ATTACH ? AS archive').run(join(folder, 'archive.db'))
    for (let i = 0; i < 2; i++) {
      const storage = await sqlStorage(drizzle(client), { table: 'archive.agent' })
      await storage.memory('a').addUserInput('x')
    }
    expect(client.prepare('SELECT count(*) FROM archive.agent_entries').pluck().get()).toBe(2)
    expect(client.prepare('SELECT count(*) FROM main.sqlite_schema').pluck().get()).toBe(0)
    client.close()
  })

  it('refuses a database in UTF-16, where ids would be ordered otherwise', async () => {
    const { drizzle } = await import('drizzle-orm/better-sqlite3')
    const { sqlStorage } = await import('../src/index.ts')
    const client = new Database(':memory:')
    client.pragma("encoding = 'UTF-16le'")
    await expect(sqlStorage(drizzle(client))).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect(client.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
    client.close()
  })
})
