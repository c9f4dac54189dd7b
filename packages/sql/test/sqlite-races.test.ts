import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionDriver } from '@holdfast/core'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { openSql, sqlDriver, sqlStorage } from '../src/index.ts'
import { sqliteEngine, temporaryFolder } from './support/engines.ts'

const { path: folder, remove } = temporaryFolder()
afterAll(remove)

type Driver = Required<SessionDriver>

async function twoConnections(file: string): Promise<[Driver, Driver, () => Promise<void>]> {
  const engines = [sqliteEngine(join(folder, file)), sqliteEngine(join(folder, file))] as const
  const drivers = await Promise.all(engines.map(({ db }) => sqlDriver(db)))
  const [one, other] = drivers as [Driver, Driver]
  return [one, other, async () => void (await Promise.all(engines.map((it) => it.close())))]
}

describe('two connections to one SQLite file', () => {
  it('let one of eight writers with one expected revision win, every time', async () => {
    const [one, other, close] = await twoConnections('race.db')
    const id = 'm0:race'
    let current = { revision: 'r0' }
    await one.replace(id, { ...current, head: 'h', entries: [] }, null)
    for (let round = 1; round <= 40; round++) {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, writer) => {
          const driver = writer % 2 ? one : other
          const revision = `r${round}-${writer}`
          const change = { revision, head: 'h', drop: 0, entries: [revision] }
          return round % 2
            ? driver.append(id, change, current)
            : driver.replace(id, { revision, head: 'h', entries: [revision] }, current)
        }),
      )
      const winners = results.filter((it) => it !== false)
      expect(winners).toHaveLength(1)
      current = winners[0] ?? current
      expect(await one.read(id)).toMatchObject({ revision: current.revision })
      expect(await other.read(id)).toMatchObject({
        entries:
          round % 2 && round > 1 ? [expect.any(String), current.revision] : [current.revision],
      })
    }
    await close()
  })

  it('answer transient while a third holds the file, and nothing of the try stays', async () => {
    const [one, , close] = await twoConnections('busy.db')
    const id = 'm0:busy'
    await one.replace(id, { revision: 'r1', head: 'h', entries: ['a'] }, null)
    const third = new Database(join(folder, 'busy.db'))
    third.exec('BEGIN IMMEDIATE')
    const change = { revision: 'r2', head: 'h', drop: 1, entries: ['b', 'c'] }
    const error = await one.append(id, change, { revision: 'r1' }).catch((reason) => reason)
    expect(one.classify(error)).toBe('transient')
    // Readers do not wait for a writer under WAL.
    expect(await one.read(id)).toMatchObject({ revision: 'r1', entries: ['a'] })
    third.exec('ROLLBACK')
    third.close()
    expect(await one.append(id, change, { revision: 'r1' })).toMatchObject({ revision: 'r2' })
    await close()
  })

  it('roll everything back when a statement in the middle fails', async () => {
    const client = new Database(':memory:')
    const driver = (await sqlDriver(drizzle(client))) as Driver
    await driver.replace('m0:a', { revision: 'r1', head: 'h', entries: ['a'] }, null)
    client.exec(`CREATE TRIGGER no BEFORE INSERT ON holdfast_entries WHEN new.body = 'bad'
      BEGIN SELECT RAISE(ABORT, 'no room'); END`)
    const change = { revision: 'r2', head: 'h2', drop: 1, entries: ['good', 'bad'] }
    await expect(driver.append('m0:a', change, { revision: 'r1' })).rejects.toThrow('no room')
    expect(client.inTransaction).toBe(false)
    expect(await driver.read('m0:a')).toEqual({ revision: 'r1', head: 'h', entries: ['a'] })
    // Inside a transaction of the caller's own only our part is undone.
    client.exec("BEGIN; CREATE TABLE theirs (x); INSERT INTO theirs VALUES ('kept')")
    await expect(driver.append('m0:a', change, { revision: 'r1' })).rejects.toThrow('no room')
    expect(client.inTransaction).toBe(true)
    const good = { ...change, entries: ['good'] }
    expect(await driver.append('m0:a', good, { revision: 'r1' })).toMatchObject({ revision: 'r2' })
    client.exec('COMMIT')
    expect(client.prepare('SELECT x FROM theirs').pluck().all()).toEqual(['kept'])
    expect(await driver.read('m0:a')).toEqual({ revision: 'r2', head: 'h2', entries: ['good'] })
    client.close()
  })

  it('never follow a token to another place: not of a session restored by hand, not one of another driver', async () => {
    const client = new Database(':memory:')
    const driver = (await sqlDriver(drizzle(client))) as Driver
    const start = { revision: 'r1', head: 'h', entries: ['a'] }
    await driver.replace('m0:mine', start, null)
    const change = { revision: 'r2', head: 'h', drop: 0, entries: ['b'] }
    const version = await driver.append('m0:mine', change, { revision: 'r1' })
    if (!version) throw new Error('lost')
    // The session gets a new number, and another session its old one.
    client.exec(`UPDATE holdfast_entries SET session = 7; UPDATE holdfast_sessions SET session = 7`)
    await driver.replace('m0:other', start, null)
    const more = { revision: 'r3', head: 'h', drop: 1, entries: ['c'] }
    expect(await driver.append('m0:mine', more, version)).toMatchObject({ revision: 'r3' })
    expect(await driver.read('m0:mine')).toEqual({ revision: 'r3', head: 'h', entries: ['b', 'c'] })
    expect(await driver.read('m0:other')).toEqual(start)
    for (const token of ['x', {}, 5, null, { session: 99, first: 0, next: 1 }]) {
      const now = await driver.read('m0:mine')
      if (!now || now === 'unchanged') throw new Error('gone')
      const next = { revision: `${now.revision}+`, head: 'h', drop: 0, entries: ['d'] }
      expect(await driver.append('m0:mine', next, { ...now, token })).toBeTruthy()
    }
    expect(await driver.read('m0:other')).toEqual(start)
    client.close()
  })

  it('fail for sure, and at once, where they can never succeed', async () => {
    const file = join(folder, 'sure.db')
    const writer = new Database(file)
    writer.pragma('journal_mode = WAL')
    const storage = await sqlStorage(drizzle(writer))
    const memory = storage.memory('a')
    await memory.addUserInput('1')
    const other = await sqlStorage(drizzle(new Database(file)))
    writer.exec('BEGIN')
    writer.prepare('SELECT * FROM holdfast_sessions').all()
    await other.memory('a').addUserInput('2')
    const sure = { code: 'STORAGE_FAILED', outcome: 'not-committed' }
    await expect(memory.addUserInput('3')).rejects.toMatchObject(sure)
    writer.exec('ROLLBACK')
    await memory.getItems()
    writer.exec('DROP TABLE holdfast_entries')
    await expect(memory.addUserInput('4')).rejects.toMatchObject(sure)
    const closed = new Database(':memory:')
    closed.close()
    await expect(sqlStorage(drizzle(closed))).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  }, 20_000)

  it('work on a client that answers integers as bigint', async () => {
    const client = new Database(':memory:')
    client.defaultSafeIntegers(true)
    const driver = (await sqlDriver(drizzle(client))) as Driver
    await driver.replace('m0:a', { revision: 'r1', head: 'h', entries: ['a', 'b'] }, null)
    const change = { revision: 'r2', head: 'h', drop: 1, entries: ['c', 'd'] }
    await driver.append('m0:a', change, { revision: 'r1' })
    expect(await driver.read('m0:a')).toMatchObject({ entries: ['b', 'c', 'd'] })
    await driver.replace('m0:a', { revision: 'r3', head: 'h', entries: ['e'] }, { revision: 'r2' })
    expect(await driver.read('m0:a')).toMatchObject({ entries: ['e'] })
    expect(await driver.delete('m0:a', { revision: 'r3' })).toBe(true)
    client.close()
  })
})

describe('a file that is not a database', () => {
  it('is STORAGE_FAILED at opening, with its name, and classified corrupt', async () => {
    const file = join(folder, 'notes.db')
    writeFileSync(file, 'these are only notes, of more than a hundred bytes. '.repeat(40))
    const error = await openSql(`sqlite:${file}`).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    expect(error.message).toContain(file)
    expect(error.cause).toMatchObject({ code: 'SQLITE_NOTADB' })
  })
})
