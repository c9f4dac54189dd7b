import { PGlite } from '@electric-sql/pglite'
import { createStorage, type Storage, type StorageScope } from '@holdfast/core'
import { postgres, useService } from '@holdfast/services'
import { sql } from 'drizzle-orm'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import * as runner from 'vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SqlOptions, sqlDriver, sqlStorage } from '../src/index.ts'
import { clientNames, type OpenPg, openPg, type PgDb } from './support/postgres.ts'

const server = await useService(postgres, runner)

const pglite = async (): Promise<OpenPg> => {
  const client = new PGlite()
  return { db: drizzlePglite(client), close: () => client.close() }
}
const engines: (readonly [string, () => Promise<OpenPg>])[] = [['PGlite', pglite]]
for (const client of server ? clientNames : []) {
  engines.push([
    `${server?.version} through ${client}`,
    async () => openPg(client, server?.url ?? ''),
  ])
}

let count = 0
const newId = () => `in-transaction-${count++}`
const failure = (promise: Promise<unknown>): Promise<Error & { code?: string; outcome?: string }> =>
  promise.then(
    () => new Error('it did not fail'),
    (reason: Error) => reason,
  )

describe.each(engines)("a transaction of the caller's on %s", (name, open) => {
  let opened: OpenPg
  let db: PgDb
  let outside: Storage
  const oneConnection = name === 'PGlite'

  beforeAll(async () => {
    opened = await open()
    db = opened.db
    outside = await sqlStorage(db)
    await db.execute(sql`CREATE TABLE orders (id text PRIMARY KEY)`)
  })
  afterAll(async () => {
    await db.execute(sql`DROP TABLE orders`)
    await opened.close()
  })

  const texts = async (storage: StorageScope, id: string) =>
    (await storage.memory(id).getItems()).map((item) => JSON.stringify(item))
  const orders = async (id: string) => {
    const answer: unknown = await db.execute(sql`SELECT id FROM orders WHERE id = ${id}`)
    return Array.isArray(answer) ? answer.length : (answer as { rows: unknown[] }).rows.length
  }

  it('keeps what the storage wrote when it commits, together with what the caller wrote', async () => {
    const id = newId()
    await outside.memory(id).addUserInput('before')
    await db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await tx.execute(sql`INSERT INTO orders VALUES (${id})`)
      await storage.memory(id).addUserInput('within 1')
      await storage.memory(id).addUserInput('within 2')
      expect(await texts(storage, id)).toHaveLength(3)
      if (!oneConnection) expect(await texts(outside, id)).toHaveLength(1)
      await storage.close()
      await tx.execute(sql`SELECT 1`)
    })
    expect(await texts(outside, id)).toHaveLength(3)
    expect(await orders(id)).toBe(1)
    await outside.memory(id).addUserInput('after')
    expect((await texts(outside, id)).join()).toMatch(/before.*within 1.*within 2.*after/)
  })

  it('leaves nothing of either when it rolls back', async () => {
    const id = newId()
    const rollback = db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await tx.execute(sql`INSERT INTO orders VALUES (${id})`)
      await storage.memory(id).addUserInput('lost')
      throw new Error('no')
    })
    expect((await failure(rollback)).message).toBe('no')
    expect(await texts(outside, id)).toEqual([])
    expect(await orders(id)).toBe(0)
    await outside.memory(id).addUserInput('x')
    expect(await texts(outside, id)).toHaveLength(1)
  })

  it('creates, replaces, appends, lists, deletes and purges inside', async () => {
    const scope = newId()
    await db.transaction(async (tx) => {
      const storage = (await sqlStorage(tx)).scope(scope)
      for (const id of ['a', 'b', 'c']) await storage.memory(id).addUserInput(id)
      await storage.memory('a').clear()
      await Promise.all(['1', '2', '3'].map((text) => storage.memory('b').addUserInput(text)))
      expect(await texts(storage, 'b')).toHaveLength(4)
      expect((await storage.listMemories({ limit: 2 })).memories).toHaveLength(2)
      expect(await storage.deleteMemory('c')).toBe(true)
      expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(['a', 'b'])
    })
    const storage = outside.scope(scope)
    expect((await storage.listMemories()).memories.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await storage.memory('b').getItems()).toHaveLength(4)
  })

  it('works in a nested transaction, and goes with it', async () => {
    const id = newId()
    await db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await storage.memory(id).addUserInput('kept')
      await failure(
        tx.transaction(async (nested) => {
          const inner = await sqlStorage(nested)
          await inner.memory(id).addUserInput('rolled back')
          expect(await texts(inner, id)).toHaveLength(2)
          throw new Error('no')
        }),
      )
      await tx.transaction(async (nested) => {
        await (await sqlStorage(nested)).memory(id).addUserInput('released')
      })
      // Another storage wrote meanwhile, if in the same transaction: as behind any writer, look first.
      await storage.memory(id).getItems()
      await storage.memory(id).addUserInput('last')
    })
    expect((await texts(outside, id)).join()).toMatch(/kept.*released.*last/)
    expect(await texts(outside, id)).toHaveLength(3)
  })

  it('is CLOSED when it is over, and then writes into nobody else’s', async () => {
    const ids = [newId(), newId(), newId()] as const
    const kept: Storage[] = []
    await db.transaction(async (tx) => {
      kept.push(await sqlStorage(tx, { timeoutMs: 1_000 }))
    })
    await failure(
      db.transaction(async (tx) => {
        kept.push(await sqlStorage(tx, { timeoutMs: 1_000 }))
        throw new Error('no')
      }),
    )
    for (const storage of kept) {
      const write = await failure(storage.memory(ids[0]).addUserInput('late'))
      expect(write).toMatchObject({ code: 'CLOSED' })
      expect(await failure(storage.memory(ids[0]).getItems())).toMatchObject({ code: 'CLOSED' })
      expect(await failure(storage.listMemories())).toMatchObject({ code: 'CLOSED' })
    }
    // Each connection of the pool now serves somebody else's transaction.
    const others = oneConnection ? 1 : 4
    await Promise.all(
      Array.from({ length: others }, (_, i) =>
        db.transaction(async (tx) => {
          const storage = await sqlStorage(tx)
          await tx.execute(sql`SELECT 1`)
          if (!oneConnection) {
            for (const stale of kept) {
              // postgres.js leaves what it cannot send at once to a queue that nobody empties any more.
              const late = await failure(stale.memory(ids[1]).addUserInput('late'))
              expect(late.code).toMatch(/^(CLOSED|STORAGE_FAILED)$/)
            }
          }
          await storage.memory(`${ids[2]}-${i}`).addUserInput('x')
        }),
      ),
    )
    for (const id of ids.slice(0, 2)) expect(await texts(outside, id)).toEqual([])
    for (let i = 0; i < others; i++) expect(await texts(outside, `${ids[2]}-${i}`)).toHaveLength(1)
  })

  it('keeps the transaction usable where a write of its own fails', async () => {
    const id = newId()
    await db.transaction(async (tx) => {
      const driver = await sqlDriver(tx)
      const bad = { revision: 'r1', head: 'a\0b', entries: [] }
      // A text that PostgreSQL refuses, which core never makes.
      await failure(driver.replace(`m0:${id}`, bad, null))
      await tx.execute(sql`INSERT INTO orders VALUES (${id})`)
      const good = { revision: 'r1', head: '{}', entries: ['1', '2'] }
      expect(await driver.replace(`m0:${id}`, good, null)).toMatchObject({ revision: 'r1' })
      expect(await driver.read(`m0:${id}`)).toEqual(good)
    })
    expect(await orders(id)).toBe(1)
  })

  it('fails for sure in a transaction that has failed', async () => {
    const id = newId()
    const failed = db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await failure(tx.execute(sql`SELECT 1 FROM no_such_table`))
      const write = await failure(storage.memory(id).addUserInput('x'))
      expect(write).toMatchObject({ code: 'STORAGE_FAILED', outcome: 'not-committed' })
      throw new Error('asserted')
    })
    expect((await failure(failed)).message).toMatch(/asserted|no_such_table|aborted/)
  })

  it.each(['setup', 'attempts'])('refuses %s, and tables that are missing', async (option) => {
    const options: SqlOptions = option === 'setup' ? { setup: true } : { attempts: 2 }
    await db.transaction(async (tx) => {
      expect(await failure(sqlStorage(tx, options))).toMatchObject({ code: 'INVALID_ARGUMENT' })
      const missing = await failure(sqlStorage(tx, { table: 'not_made' }))
      expect(missing).toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(missing.message).toContain('not_made_sessions')
      await sqlStorage(tx, { setup: false, attempts: 1 })
    })
  })

  if (oneConnection) return

  it('gives a conflict at once, and then can go on', async () => {
    const id = newId()
    await outside.memory(id).addUserInput('first')
    await db.transaction(async (tx) => {
      const storage = await sqlStorage(tx)
      await storage.memory(id).getItems()
      await outside.memory(id).addUserInput('second')
      const conflict = await failure(storage.memory(id).addUserInput('third'))
      expect(conflict).toMatchObject({ code: 'CONFLICT', outcome: 'not-committed' })
      await storage.memory(id).addUserInput('fourth')
    })
    expect((await texts(outside, id)).join()).toMatch(/first.*second.*fourth/)
  })

  it.each(['repeatable read', 'serializable'] as const)(
    'gives a conflict under %s that only another transaction can get over',
    async (isolationLevel) => {
      const id = newId()
      await outside.memory(id).addUserInput('first')
      const write = async (disturb: () => Promise<void>) =>
        db.transaction(
          async (tx) => {
            const storage = await sqlStorage(tx)
            await storage.memory(id).getItems()
            await disturb()
            for (let i = 0; i < 2; i++) {
              const started = performance.now()
              const error = await failure(storage.memory(id).addUserInput('third'))
              if (error.message === 'it did not fail') return
              expect(error).toMatchObject({ code: 'CONFLICT', outcome: 'not-committed' })
              expect(performance.now() - started).toBeLessThan(5_000)
            }
            await tx.execute(sql`INSERT INTO orders VALUES (${id})`)
          },
          { isolationLevel },
        )
      await write(() => outside.memory(id).addUserInput('second'))
      expect(await orders(id)).toBe(1)
      await write(async () => {})
      expect(await texts(outside, id)).toHaveLength(3)
    },
  )
})

if (server) {
  describe.each(clientNames)('three transactions at once through %s', (client) => {
    it('wait for each other, and all but one get the conflict', async () => {
      const opened = openPg(client, server.url)
      await sqlStorage(opened.db)
      const id = newId()
      let reading = 3
      let allRead = () => {}
      const barrier = new Promise<void>((resolve) => {
        allRead = resolve
      })
      const outcomes = await Promise.all(
        Array.from({ length: 3 }, (_, i) =>
          opened.db.transaction(async (tx) => {
            const storage = createStorage(await sqlDriver(tx), { attempts: 1 })
            await storage.memory(id).getItems()
            if (--reading === 0) allRead()
            await barrier
            const error = await failure(storage.memory(id).addUserInput(`${i}`))
            return error.code ?? 'written'
          }),
        ),
      )
      const stored = await (await sqlStorage(opened.db)).memory(id).getItems()
      expect(stored).toHaveLength(outcomes.filter((outcome) => outcome === 'written').length)
      expect(outcomes.filter((outcome) => outcome !== 'written')).toEqual(['CONFLICT', 'CONFLICT'])
      await opened.close()
    })
  })
}
