import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { withReplicas } from 'drizzle-orm/sqlite-core'
import { drizzle as proxy } from 'drizzle-orm/sqlite-proxy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, sqlDriver, sqlStorage } from '../src/index.ts'
import { pgTables, sqliteTables } from '../src/schema.ts'
import { temporaryFolder } from './support/engines.ts'
import { buildPrograms, type Programs } from './support/programs.ts'

const { path: folder, remove } = temporaryFolder()
let programs: Programs
beforeAll(async () => {
  programs = await buildPrograms('open-url')
})
afterAll(() => {
  programs.remove()
  remove()
})

const invalid = { name: 'HoldfastError', code: 'INVALID_ARGUMENT' }
/** What a caller without types may pass. */
const open = openSql as (...args: unknown[]) => Promise<unknown>
const storage = sqlStorage as (...args: unknown[]) => Promise<unknown>
const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('it did not fail'),
    (reason: Error) => reason,
  )

describe('openSql refuses', () => {
  it.each([undefined, null, 7, {}, [], new URL('sqlite:./a.db')])('%s as a URL', async (url) => {
    await expect(open(url)).rejects.toMatchObject(invalid)
  })

  it.each([
    '',
    'agent.db',
    './agent.db',
    'sqlite',
    'sqlite:',
    'sqlite:  ',
    'sqlite://',
    'pglite:  ',
  ])('the URL %j', async (url) => {
    await expect(open(url)).rejects.toMatchObject(invalid)
  })

  it('a scheme it does not know, and keeps what follows to itself', async () => {
    for (const url of ['oracle://me:secret@host/db', 'mssql://me:secret@host/db']) {
      const error = await failure(open(url))
      expect(error).toMatchObject(invalid)
      expect(error.message).not.toMatch(/secret|host\/db/)
      expect(error.message).toContain('sqlite:')
    }
    const error = await failure(open('me:secret@host/db'))
    expect(error).toMatchObject(invalid)
    expect(error.message).not.toContain('secret')
  })

  const wrong: [string, unknown][] = [
    ...['', ' ', 'a b', '1a', 'a-b', 'a"b', 'a.b.c', '.a', 'a.', "x'; --", 'é', 'a'.repeat(55)].map(
      (table): [string, unknown] => ['table', table],
    ),
    ...['sqlite_x', 'pg_catalog.x'].map((table): [string, unknown] => ['table', table]),
    ...[7, null, {}].map((table): [string, unknown] => ['table', table]),
    ...['yes', 1, null].map((setup): [string, unknown] => ['setup', setup]),
    ...[-1, 1.5, '5', Number.NaN, 60_001].map((ms): [string, unknown] => ['busyTimeoutMs', ms]),
    ['encyption', {}],
    ...[0, -1, Number.NaN, '5'].map((ms): [string, unknown] => ['timeoutMs', ms]),
    ...[0, 1.5, '5'].map((attempts): [string, unknown] => ['attempts', attempts]),
    ...['key', {}, 7].map((encryption): [string, unknown] => ['encryption', encryption]),
  ]
  it.each(wrong)('%s: %j, before anything is opened', async (name, value) => {
    const file = join(folder, 'never.db')
    await expect(open(`sqlite:${file}`, { [name]: value })).rejects.toMatchObject(invalid)
    await expect(open(`pglite:${file}`, { [name]: value })).rejects.toMatchObject(invalid)
    expect(existsSync(file)).toBe(false)
    const client = new Database(':memory:')
    await expect(storage(drizzle(client), { [name]: value })).rejects.toMatchObject(invalid)
    expect(client.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
    client.close()
  })

  it.each([null, 'x', 7, []])('%j as options', async (options) => {
    await expect(open('sqlite::memory:', options)).rejects.toMatchObject(invalid)
  })

  it('a folder where a file should be', async () => {
    const error = await failure(open(`sqlite:${folder}`))
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(error.message).toContain(folder)
  })
})

describe('openSql without the packages of a database', () => {
  it('names the line that installs them', async () => {
    const { cpSync, mkdirSync } = await import('node:fs')
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    for (const name of readdirSync(programs.folder)) {
      cpSync(join(programs.folder, name), join(empty, name))
    }
    const sqlite = await programs.start('open-url', ['sqlite:./a.db'], empty).ended
    expect(sqlite.output).toMatch(/^INVALID_ARGUMENT .*npm install better-sqlite3 drizzle-orm\n$/)
    const pglite = await programs.start('open-url', ['pglite:./dir'], empty).ended
    expect(pglite.output).toMatch(
      /^INVALID_ARGUMENT .*npm install @electric-sql\/pglite drizzle-orm\n$/,
    )
    expect(existsSync(join(empty, 'a.db'))).toBe(false)
    expect(existsSync(join(empty, 'dir'))).toBe(false)
    // Where the packages are, the same program opens.
    const here = await programs.start('open-url', ['sqlite::memory:']).ended
    expect(here.output).toBe('opened\n')
  })
})

describe('sqlStorage refuses', () => {
  it.each([undefined, null, 7, 'sqlite:./a.db', {}, [], { $client: {} }, { _: {} }])(
    '%j, which is no drizzle database',
    async (db) => {
      await expect(storage(db)).rejects.toMatchObject(invalid)
    },
  )

  it('a raw client, with the way to wrap it', async () => {
    const client = new Database(':memory:')
    const error = await failure(storage(client))
    expect(error).toMatchObject(invalid)
    expect(error.message).toContain('drizzle(client)')
    client.close()
  })

  it('an engine that is not supported', async () => {
    const error = await failure(storage(proxy(async () => ({ rows: [] }))))
    expect(error).toMatchObject({ code: 'UNSUPPORTED' })
    expect(error.message).toContain('SqliteRemoteDatabase')
  })

  it('a transaction', async () => {
    const client = new Database(':memory:')
    const answers: Promise<unknown>[] = []
    drizzle(client).transaction((tx) => {
      answers.push(failure(storage(tx)))
    })
    expect(await answers[0]).toMatchObject({ code: 'UNSUPPORTED' })
    client.close()
  })
})

describe('sqlStorage', () => {
  it('closes nothing and leaves the settings as they are', async () => {
    const client = new Database(':memory:', { timeout: 1234 })
    const own = await sqlStorage(drizzle(client))
    await own.memory('a').addUserInput('x')
    await own.close()
    expect(client.open).toBe(true)
    expect(client.pragma('busy_timeout', { simple: true })).toBe(1234)
    await sqlDriver(drizzle(client), { busyTimeoutMs: 77 })
    expect(client.pragma('busy_timeout', { simple: true })).toBe(77)
    client.close()
  })

  it('reads from the primary of a database with replicas', async () => {
    const primary = new Database(':memory:')
    const replica = new Database(':memory:')
    const own = await sqlStorage(withReplicas(drizzle(primary), [drizzle(replica)]))
    await own.memory('a').addUserInput('x')
    expect(await own.memory('a').getItems()).toHaveLength(1)
    expect(replica.prepare('SELECT * FROM sqlite_schema').all()).toEqual([])
    for (const client of [primary, replica]) client.close()
  })

  it('keeps two tables apart', async () => {
    const client = new Database(':memory:')
    const one = await sqlStorage(drizzle(client), { table: 'one' })
    const two = await sqlStorage(drizzle(client), { table: 'two' })
    await one.memory('a').addUserInput('x')
    expect(await two.memory('a').getItems()).toEqual([])
    expect(await two.listMemories()).toEqual({ memories: [] })
    client.close()
  })
})

describe('the table definitions', () => {
  it('refuse a wrong name, and a schema in SQLite', () => {
    for (const make of [sqliteTables, pgTables]) {
      expect(() => make('no name')).toThrow(expect.objectContaining(invalid))
    }
    expect(() => sqliteTables('archive.agent')).toThrow(expect.objectContaining(invalid))
  })
})
