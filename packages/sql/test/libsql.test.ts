import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { drizzle } from 'drizzle-orm/libsql'
import { afterAll, describe, expect, it } from 'vitest'
import { openSql, sqlDriver, sqlStorage } from '../src/index.ts'
import { temporaryFolder } from './support/engines.ts'

const { path: folder, remove } = temporaryFolder()
afterAll(remove)

describe('libSQL in a file', () => {
  it('is opened by its path, with WAL, in a folder that is made, and read by another client', async () => {
    const file = join(folder, 'new/agent.db')
    const storage = await openSql(`libsql:${file}`)
    await storage.memory('a').addUserInput('hello')
    const client = createClient({ url: `file:${file}` })
    expect((await client.execute('PRAGMA journal_mode')).rows[0]).toMatchObject({
      journal_mode: 'wal',
    })
    const stored = await client.execute(`SELECT s.id, e.n, e.body FROM holdfast_sessions s
      JOIN holdfast_entries e ON e.session = s.session WHERE s.id = 'm0:a' ORDER BY e.n`)
    expect(stored.rows).toMatchObject([{ n: 0, body: expect.stringContaining('hello') }])
    await storage.deleteMemory('a')
    expect(
      (await client.execute('SELECT count(*) AS n FROM holdfast_entries')).rows[0]?.['n'],
    ).toBe(0)
    client.close()
    await storage.close()
    const again = await openSql(`libsql:${file}`)
    expect(await again.memory('a').getItems()).toEqual([])
    await again.close()
  })

  it('shares its file with better-sqlite3', async () => {
    const file = join(folder, 'shared.db')
    for (const scheme of ['libsql', 'sqlite', 'libsql']) {
      const storage = await openSql(`${scheme}:${file}`)
      await storage.memory('a').addUserInput(scheme)
      await storage.close()
    }
    const storage = await openSql(`sqlite:${file}`)
    expect(await storage.memory('a').getItems()).toHaveLength(3)
    await storage.close()
  })

  it('finds nothing to add to after a lost race', async () => {
    const client = createClient({ url: ':memory:' })
    const driver = await sqlDriver(drizzle(client))
    await driver.replace('m0:a', { revision: '1', head: '', entries: ['a'] }, null)
    const change = { revision: '2', head: '', drop: 1, entries: ['b', 'c'] }
    expect(await driver.append?.('m0:a', change, { revision: '0' })).toBe(false)
    expect(await driver.read('m0:a')).toEqual({ revision: '1', head: '', entries: ['a'] })
    expect(
      (await client.execute('SELECT count(*) AS n FROM holdfast_entries')).rows[0]?.['n'],
    ).toBe(1)
    client.close()
  })

  it("writes inside a caller's transaction, which decides; and not after it", async () => {
    const client = createClient({ url: `file:${join(folder, 'tx.db')}` })
    const db = drizzle(client)
    const outside = await sqlStorage(db)
    await expect(
      db.transaction(async (tx) => {
        await (await sqlStorage(tx)).memory('a').addUserInput('gone')
        throw new Error('back')
      }),
    ).rejects.toThrow('back')
    expect(await outside.memory('a').getItems()).toEqual([])
    const leaked = await db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await storage.memory('a').addUserInput('kept')
      return storage
    })
    expect(await outside.memory('a').getItems()).toHaveLength(1)
    await expect(leaked.memory('a').addUserInput('late')).rejects.toMatchObject({
      code: expect.any(String),
    })
    expect(await outside.memory('a').getItems()).toHaveLength(1)
    client.close()
  })

  it('takes the URLs of servers, and shows no token', async () => {
    for (const url of [
      'libsql:http://127.0.0.1:1?authToken=hunter2',
      'libsql://[?authToken=hunter2',
    ]) {
      const error = (await openSql(url).catch((e: unknown) => e)) as Error
      expect(error).toMatchObject({
        code: expect.stringMatching(/^(STORAGE_FAILED|INVALID_ARGUMENT)$/),
      })
      expect(`${error.message} ${error.stack}`).not.toContain('hunter2')
    }
  })
})
