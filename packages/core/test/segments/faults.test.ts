import { describe, expect, it } from 'vitest'
import { createStorage } from '../../src/index.ts'
import { segmentedDriver } from '../../src/segments.ts'
import { LostAnswer, MemorySegmentStore } from './memory-segment-store.ts'
import { append, create, entries, ID, random, revision, stored } from './support.ts'

const SMALL = { inlineBytes: 100, maxSegmentBytes: 400, fanOut: 3 }
const AGE = 600_000
const RANGE = { after: 'm0:', before: 'm0;', olderThanMs: AGE }

/** A store with 30 entries in it, ten of which were written by each of three appends. */
async function filled() {
  const store = new MemorySegmentStore()
  const driver = segmentedDriver(store, SMALL)
  await create(driver, entries(0, 30))
  return { store, driver }
}

/** Merges three segments of a level. */
const LEVELS = { inlineBytes: 100, maxSegmentBytes: 4_000, fanOut: 3 }

async function growing() {
  const store = new MemorySegmentStore()
  const driver = segmentedDriver(store, LEVELS)
  await create(driver, [])
  return { store, driver, grow: () => append(driver, entries(0, 2)) }
}

/** Lets what is stored by now grow older than the grace period. */
const later = (store: MemorySegmentStore) => {
  const past = Date.now() - AGE - 1
  for (const segments of store.segments.values()) {
    for (const [name, { text }] of segments) segments.set(name, { text, at: past })
  }
}

/** A gate at which a call waits until it is opened. */
function gate() {
  let open = () => {}
  let reached = () => {}
  const arrived = new Promise<void>((resolve) => {
    reached = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const wait = () => {
    reached()
    return opened
  }
  return { wait, arrived, open: () => open() }
}

describe('a writer that is killed', () => {
  it('between segment and head: nothing is seen of it, and its segment is swept', async () => {
    const { store, driver } = await filled()
    const before = store.names(ID)
    store.before = (call) => {
      if (call === 'writeHead') throw new Error('killed')
    }
    await expect(append(driver, entries(30, 50))).rejects.toThrow('killed')
    store.before = () => {}
    expect((await stored(driver)).entries).toEqual(entries(0, 30))
    const left = store.names(ID).length - before.length
    expect(left).toBeGreaterThan(0)
    expect(await driver.sweep({ ...RANGE })).toEqual({ removed: 0 })
    later(store)
    expect(await driver.sweep({ ...RANGE, after: 'm0:z' })).toEqual({ removed: 0 })
    expect(await driver.sweep(RANGE)).toEqual({ removed: left })
    expect(store.names(ID)).toEqual(before)
    expect((await stored(segmentedDriver(store))).entries).toEqual(entries(0, 30))
  })

  it('behind its commit: what it replaced is swept', async () => {
    const { store } = await filled()
    const leftovers: unknown[] = []
    const driver = segmentedDriver(store, {
      ...SMALL,
      onLeftover: (_, error) => leftovers.push(error),
    })
    store.before = (call) => {
      if (call === 'removeSegments') throw new Error('killed')
    }
    expect(await append(driver, entries(30, 31), 30)).toBe(true)
    expect(leftovers).toEqual([new Error('killed')])
    store.before = () => {}
    expect(store.names(ID).length).toBeGreaterThan(0)
    later(store)
    expect((await driver.sweep(RANGE)).removed).toBeGreaterThan(0)
    expect(store.names(ID)).toEqual([])
    expect((await stored(driver)).entries).toEqual(entries(30, 31))
  })

  it('while it creates: its segments are swept, but not while it may still commit', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, SMALL)
    store.before = (call) => {
      if (call === 'writeHead') throw new Error('killed')
    }
    await expect(create(driver, entries(0, 30))).rejects.toThrow('killed')
    store.before = () => {}
    expect(await driver.sweep(RANGE)).toEqual({ removed: 0 })
    later(store)
    const { removed } = await driver.sweep(RANGE)
    expect(removed).toBeGreaterThan(0)
    expect(store.names(ID)).toEqual([])
    expect(await driver.read(ID)).toBeNull()
  })
})

describe('a writer that stalls', () => {
  it('between segment and head while a sweep removes its segment: its commit fails, and its next try works', async () => {
    const { store, driver } = await filled()
    const version = await stored(driver)
    const stall = gate()
    const stalled = segmentedDriver(store, SMALL)
    await stalled.read(ID)
    let stalling = true
    store.before = (call) => {
      if (call !== 'writeHead' || !stalling) return
      stalling = false
      return stall.wait()
    }
    const change = { revision: revision(), head: '{}', drop: 0, entries: entries(30, 50) }
    const commit = stalled.append(ID, change, version)
    await stall.arrived
    later(store)
    expect((await driver.sweep(RANGE)).removed).toBeGreaterThan(0)
    stall.open()
    expect(await commit).toBe(false)
    expect((await stored(driver)).entries).toEqual(entries(0, 30))
    // Core reads again, hears that nothing changed, and sends the same write once more.
    expect(await stalled.read(ID, { unless: version.revision })).toBe('unchanged')
    expect(await stalled.append(ID, change, version)).toBeTruthy()
    expect((await stored(driver)).entries).toEqual(entries(0, 50))
  })

  it('is not noticed by whoever holds the revision from before the sweep', async () => {
    const { store, driver } = await filled()
    const storage = createStorage(segmentedDriver(store, SMALL))
    const memory = storage.memory('live')
    for (let at = 0; at < 20; at++) await memory.addUserInput(`${at}`)
    store.before = (call) => {
      if (call === 'writeHead') throw new Error('killed')
    }
    await expect(append(driver, entries(0, 20), 0, 'm0:live')).rejects.toThrow('killed')
    store.before = () => {}
    later(store)
    expect((await createStorage(driver).purge({ olderThanMs: AGE })).swept).toBeGreaterThan(0)
    await memory.addUserInput('20')
    expect(await memory.getItems()).toHaveLength(21)
  })

  it('creates nothing after two minutes', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, SMALL)
    const { now } = Date
    try {
      store.after = (call) => {
        if (call === 'writeSegment') Date.now = () => now() + 120_001
      }
      const error = await create(driver, entries(0, 30)).catch((thrown) => thrown)
      expect(driver.classify?.(error)).toBe('transient')
      expect(store.count('writeHead')).toBe(0)
    } finally {
      Date.now = now
    }
  })
})

describe('a sweep', () => {
  it('goes page by page, and tells how much it removed', async () => {
    const { store, driver } = await filled()
    store.pageSize = 3
    for (let at = 0; at < 10; at++) await store.writeSegment('m0:gone', `x${at}`, ['1'])
    later(store)
    const storage = createStorage(driver)
    expect(await storage.purge({ olderThanMs: AGE })).toEqual({ removed: 0, kept: 0, swept: 10 })
    expect(store.names('m0:gone')).toEqual([])
    expect((await stored(driver)).entries).toEqual(entries(0, 30))
  })

  it('stays inside the scope', async () => {
    const { store, driver } = await filled()
    await store.writeSegment('m1:tenant:x', 'a', ['1'])
    await store.writeSegment('m1:other:x', 'b', ['1'])
    later(store)
    const storage = createStorage(driver)
    expect((await storage.scope('tenant').purge({ olderThanMs: AGE })).swept).toBe(1)
    expect(store.names('m1:other:x')).toEqual(['b'])
  })

  it('leaves alone a head that others write all the time', async () => {
    const { store, driver } = await filled()
    await store.writeSegment(ID, 'orphan', ['1'])
    later(store)
    const busy = segmentedDriver(store, SMALL)
    let sweeping = true
    store.before = async (call) => {
      if (call !== 'writeHead' || !sweeping) return
      sweeping = false
      await append(busy, ['1'])
      sweeping = true
    }
    expect(await driver.sweep(RANGE)).toEqual({ removed: 0 })
    expect(store.names(ID)).toContain('orphan')
  })
})

describe('a reader that misses a segment', () => {
  it('reads the head again where it changed', async () => {
    const { store, driver } = await filled()
    const writer = segmentedDriver(store, SMALL)
    let once = true
    store.before = async (call) => {
      if (call !== 'readSegment' || !once) return
      once = false
      await append(writer, entries(30, 31), 30)
    }
    expect((await stored(driver)).entries).toEqual(entries(30, 31))
  })

  it('answers null where the session was deleted meanwhile', async () => {
    const { store, driver } = await filled()
    const writer = segmentedDriver(store, SMALL)
    let once = true
    store.before = async (call) => {
      if (call !== 'readSegment' || !once) return
      once = false
      await writer.delete?.(ID, { revision: store.head(ID)?.revision ?? '' })
    }
    expect(await driver.read(ID)).toBeNull()
  })

  it.each(['lost', 'cut short'])(
    'is CORRUPT where it is %s, on reading and on merging',
    async (how) => {
      const { store, driver, grow } = await growing()
      while (store.names(ID).length < 2) await grow()
      const segments = store.segments.get(ID)
      const [name = ''] = store.names(ID)
      if (how === 'lost') segments?.delete(name)
      else segments?.set(name, { text: '[]', at: 0 })
      const error = await driver.read(ID).catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'CORRUPT' })
      expect(driver.classify?.(error)).toBe('corrupt')
      const merging = async () => {
        while (store.head(ID)) await grow()
      }
      await expect(merging()).rejects.toMatchObject({ code: 'CORRUPT' })
    },
  )

  it('answers false to an append whose merge misses one because another writer was faster', async () => {
    const { store, driver, grow } = await growing()
    const writer = segmentedDriver(store, LEVELS)
    let once = true
    store.before = async (call) => {
      if (call !== 'readSegment' || !once) return
      once = false
      const { entries } = await stored(writer)
      await append(writer, ['"new"'], entries.length)
    }
    while (await grow());
    expect(once).toBe(false)
    expect((await stored(driver)).entries).toEqual(['"new"'])
  })
})

describe('lost answers', () => {
  it.each(['before', 'after'] as const)('%s the commit: every item once', async (when) => {
    const store = new MemorySegmentStore()
    const storage = createStorage(segmentedDriver(store, SMALL))
    const pick = random(7)
    store[when] = () => {
      if (pick(5) === 0) throw new LostAnswer()
    }
    const memory = storage.memory('one')
    for (let at = 0; at < 60; at++) await memory.addUserInput(`${at}`)
    store[when] = () => {}
    const items = await createStorage(segmentedDriver(store)).memory('one').getItems()
    const texts = items.map((item) => JSON.stringify(item).match(/"text":"(\d+)"/)?.[1])
    expect(texts).toEqual(Array.from({ length: 60 }, (_, at) => `${at}`))
    later(store)
    await storage.purge({ olderThanMs: AGE })
    const named = store
      .head('m0:one')
      ?.segments.map(({ name }) => name)
      .sort()
    expect(store.names('m0:one')).toEqual(named)
  })
})
