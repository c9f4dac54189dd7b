import { describe, expect, it, vi } from 'vitest'
import { aesGcm } from '../../src/encryption.ts'
import {
  type Append,
  createStorage,
  MemoryDriver,
  type SessionDriver,
  type Storage,
  type StoredSession,
} from '../../src/index.ts'
import { input, sessionOf } from '../sessions/support.ts'
import { texts } from '../texts.ts'

type Entries = readonly string[]

/** Changes what is stored as `id` and keeps its revision, as a lost row does. */
async function spoil(
  driver: MemoryDriver,
  id: string,
  change: (stored: StoredSession) => Partial<StoredSession>,
): Promise<void> {
  const stored = await driver.read(id)
  if (!stored || stored === 'unchanged') throw new Error(`nothing is stored as ${id}`)
  await driver.replace(id, { ...stored, ...change(stored) }, stored)
}

const countOf = async (driver: MemoryDriver, id: string) => {
  const stored = await driver.read(id)
  if (!stored || stored === 'unchanged') throw new Error(`nothing is stored as ${id}`)
  return [JSON.parse(stored.head).e, stored.entries.length]
}

const events = [1, 2, 3, 4, 5].map((n) => input(n, `e${n}`))

async function fill(storage: Storage): Promise<void> {
  for (const id of ['a', 'b']) {
    await storage.sessions().save(sessionOf(id, events))
    for (const word of ['1', '2', '3', '4', '5']) await storage.memory(id).addUserInput(word)
  }
}

const losses: [string, (entries: Entries) => Entries, number][] = [
  ['in the middle', (entries) => entries.toSpliced(2, 1), 4],
  ['at the front', (entries) => entries.slice(1), 4],
  ['at the end', (entries) => entries.slice(0, -1), 4],
  ['everywhere', () => [], 0],
  ['but one, which came in from elsewhere,', (entries) => [...entries, ...entries.slice(0, 1)], 6],
]

describe('entries that the driver lost', () => {
  for (const [where, lose, left] of losses) {
    for (const encryption of [undefined, aesGcm(new Uint8Array(32).fill(1))]) {
      const open = (driver: MemoryDriver) => createStorage(driver, encryption ? { encryption } : {})
      const sealed = encryption ? ', encrypted' : ''
      it(`${where} are CORRUPT for a session and a memory${sealed}; nothing is written, others stay readable, delete works`, async () => {
        const driver = new MemoryDriver()
        await fill(open(driver))
        for (const id of ['s0:a', 'm0:a']) {
          await spoil(driver, id, ({ entries }) => ({ entries: lose(entries) }))
        }
        const storage = open(driver)
        const [store, memory] = [storage.sessions(), storage.memory('a')]
        const lost = (id: string) => ({
          code: 'CORRUPT',
          message: expect.stringContaining(`"${id}" holds ${left} entries instead of 5`),
        })
        const unwritten = { outcome: 'not-committed' }
        await expect(store.load('a')).rejects.toMatchObject(lost('s0:a'))
        await expect(store.save(sessionOf('a', events))).rejects.toMatchObject({
          ...lost('s0:a'),
          ...unwritten,
        })
        await expect(memory.getItems()).rejects.toMatchObject(lost('m0:a'))
        await expect(memory.addUserInput('6')).rejects.toMatchObject({
          ...lost('m0:a'),
          ...unwritten,
        })
        expect(await countOf(driver, 's0:a')).toEqual([5, left])
        expect(await countOf(driver, 'm0:a')).toEqual([5, left])
        expect((await store.load('b'))?.events).toEqual(events)
        expect(texts(await storage.memory('b').getItems())).toEqual(['1', '2', '3', '4', '5'])
        expect(await store.listSessionIds()).toEqual(['a', 'b'])

        expect(await store.delete('a')).toBe(true)
        expect(await memory.delete()).toBe(true)
        await store.save(sessionOf('a', events))
        await memory.addUserInput('again')
        expect((await open(driver).sessions().load('a'))?.events).toEqual(events)
        expect(texts(await open(driver).memory('a').getItems())).toEqual(['again'])
      })
    }
  }

  it('are found by a handle that has read some of them before', async () => {
    const driver = new MemoryDriver()
    const [mine, yours] = [createStorage(driver).memory('a'), createStorage(driver).memory('a')]
    await mine.addUserInput('1')
    await yours.addUserInput('2')
    await spoil(driver, 'm0:a', ({ entries }) => ({ entries: entries.slice(0, -1) }))
    await expect(mine.getItems()).rejects.toMatchObject({ code: 'CORRUPT' })
    // Its cached state is whole, so what it reads is right; whoever reads anew is told.
    expect(texts(await yours.getItems())).toEqual(['1', '2'])
    await yours.addUserInput('3')
    await expect(createStorage(driver).memory('a').getItems()).rejects.toMatchObject({
      code: 'CORRUPT',
    })
  })

  it('behind a tombstone do not come alive', async () => {
    const driver = new MemoryDriver()
    const memory = createStorage(driver).memory('a')
    await memory.addUserInput('old')
    await memory.delete()
    expect(await countOf(driver, 'm0:a')).toEqual([0, 0])
    await spoil(driver, 'm0:a', () => ({ entries: ['{"old":true}'] }))
    const again = createStorage(driver).memory('a')
    await expect(again.addUserInput('new')).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})

describe('a head', () => {
  it('without a number of entries is read without the check, and has one after the next write', async () => {
    const driver = new MemoryDriver()
    await fill(createStorage(driver))
    for (const id of ['s0:a', 'm0:a']) {
      await spoil(driver, id, ({ head }) => ({
        head: JSON.stringify({ ...JSON.parse(head), e: undefined }),
      }))
    }
    const storage = createStorage(driver)
    const loaded = await storage.sessions().load('a')
    if (!loaded) throw new Error('it is gone')
    expect(loaded.events).toEqual(events)
    await storage.sessions().save({ ...loaded, events: [...loaded.events, input(6, 'e6')] })
    await storage.memory('a').addUserInput('6')
    // The memory of the session is no more the fold of its events: that is an entry.
    expect(await countOf(driver, 's0:a')).toEqual([7, 7])
    expect(await countOf(driver, 'm0:a')).toEqual([6, 6])
  })

  for (const e of ['5', 1.5, null]) {
    it(`with ${JSON.stringify(e)} for the number of entries cannot be read`, async () => {
      const driver = new MemoryDriver()
      await fill(createStorage(driver))
      await spoil(driver, 'm0:a', ({ head }) => ({
        head: JSON.stringify({ ...JSON.parse(head), e }),
      }))
      await expect(createStorage(driver).memory('a').getItems()).rejects.toThrow('The head of')
      expect(await createStorage(driver).deleteMemory('a')).toBe(true)
    })
  }
})

/** The same cells without `append`. */
function withoutAppend(driver: MemoryDriver): SessionDriver {
  return {
    read: (id, options) => driver.read(id, options),
    replace: (id, next, expected) => driver.replace(id, next, expected),
    list: (query) => driver.list(query),
  }
}

describe('every commit keeps the number of entries', () => {
  for (const appends of [true, false]) {
    it(`${appends ? 'with' : 'without'} append: adds, windows, long records, clear, summaries, delete, a new life`, async () => {
      const driver = new MemoryDriver()
      const append = vi.spyOn(driver, 'append')
      const storage = createStorage(appends ? driver : withoutAppend(driver))
      const memory = storage.memory('a')
      const counts: unknown[] = []
      const check = async () => {
        const [counted, stored] = await countOf(driver, 'm0:a')
        expect(counted).toBe(stored)
        counts.push(stored)
        await createStorage(driver).memory('a').getItems()
      }
      const long = 'x'.repeat(600_000)
      for (const word of ['1', '2', long, '4']) {
        await memory.addUserInput(word)
        await check()
      }
      for (const keep of [3, 2, 1]) {
        await memory.update(({ items }) => ({ items: items.slice(-keep) }))
        await check()
      }
      await memory.setSummary('s')
      await check()
      await memory.clear()
      await check()
      await memory.addUserInput(long)
      await check()
      await memory.delete()
      await check()
      await memory.addUserInput('new')
      await check()
      // A long record takes three entries, and goes with them.
      expect(counts).toEqual([1, 2, 5, 6, 5, 4, 1, 2, 0, 3, 0, 1])
      const drops = append.mock.calls.map(([, { drop }]: [string, Append, unknown]) => drop)
      expect(drops.filter((drop) => drop > 0)).toEqual(appends ? [1, 1, 3] : [])
    })
  }

  it('of a session: added, trimmed, beside its memory, written anew', async () => {
    const driver = new MemoryDriver()
    const store = createStorage(driver).sessions()
    let current = sessionOf('a', [])
    for (let n = 1; n <= 60; n++) {
      const summary = n % 3 ? `s${n}` : undefined
      const next = [...current.events, input(n, `${n}`)]
      const { revision } = await store.save({
        ...current,
        events: next,
        memory: { items: [], ...(summary !== undefined && { summary }) },
      })
      current = { ...current, events: next, revision }
      const [counted, stored] = await countOf(driver, 's0:a')
      expect(counted).toBe(stored)
      expect((await createStorage(driver).sessions().load('a'))?.events).toHaveLength(n)
    }
  })
})
