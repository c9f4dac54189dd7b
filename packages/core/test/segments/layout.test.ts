import { describe, expect, it } from 'vitest'
import { segmentedDriver } from '../../src/segments.ts'
import { MemorySegmentStore } from './memory-segment-store.ts'
import { append, create, entries, ID, revision, stored } from './support.ts'

describe('what an append costs', () => {
  it('is one write of the head and no read while the head has room', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store)
    let version = await create(driver, entries(0, 10))
    store.reset()
    for (let at = 10; at < 60; at++) {
      if (!version) throw new Error('a lost race')
      const change = { revision: revision(), head: '{}', drop: 0, entries: entries(at, at + 1) }
      version = await driver.append(ID, change, version)
    }
    expect([...store.calls]).toEqual([['writeHead', 50]])
    expect((await stored(driver)).entries).toEqual(entries(0, 60))
  })

  it('reads the head once where another process wrote last', async () => {
    const store = new MemorySegmentStore()
    await create(segmentedDriver(store), entries(0, 10))
    const driver = segmentedDriver(store)
    const version = { revision: store.head(ID)?.revision ?? '' }
    store.reset()
    const change = { revision: revision(), head: '{}', drop: 0, entries: [] }
    expect(await driver.append(ID, change, version)).toBeTruthy()
    expect([...store.calls]).toEqual([
      ['readHead', 1],
      ['writeHead', 1],
    ])
  })

  it('is flat, and the head and a cold load stay bounded, up to 100,000 entries', async () => {
    const limits = { inlineBytes: 4_096, maxSegmentBytes: 262_144, fanOut: 8 }
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, limits)
    let version = await create(driver, [])
    const bytes: number[] = []
    let largest = 0
    const STEP = 10_000
    for (let at = 0; at < 100_000; at += 10) {
      if (at % STEP === 0) store.reset()
      if (!version) throw new Error('a lost race')
      const added = entries(at, at + 10, 100)
      version = await driver.append(
        ID,
        { revision: revision(), head: '{}', drop: 0, entries: added },
        version,
      )
      largest = Math.max(largest, store.heads.get(ID)?.text.length ?? 0)
      if ((at + 10) % STEP === 0) bytes.push(store.written / (STEP / 10))
    }
    // 11.6 MB of entries: at most four references for each 256 KiB, and 7 of each of three levels.
    const references = store.head(ID)?.segments.length ?? 0
    expect(references).toBeLessThan(200)
    expect(largest).toBeLessThan(4_096 + 200 * 90 + 1_000)
    // An append writes the head, and its entries once for each level: no more at the end than at the start.
    const [first = 0] = bytes
    for (const later of bytes) expect(later).toBeLessThan(first + 200 * 90)
    store.reset()
    expect((await stored(segmentedDriver(store, limits))).entries).toEqual(entries(0, 100_000, 100))
    expect(store.count('readHead')).toBe(1)
    expect(store.count('readSegment')).toBe(references)
  }, 120_000)

  it('leaves no more segments than the head names', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 500, maxSegmentBytes: 5_000, fanOut: 3 })
    await create(driver, [])
    for (let at = 0; at < 500; at++) await append(driver, entries(at, at + 1))
    const named = store
      .head(ID)
      ?.segments.map(({ name }) => name)
      .sort()
    expect(store.names(ID)).toEqual(named)
    expect(named?.length).toBeGreaterThan(2)
  })

  it('keeps few references when large and small appends alternate', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, {
      inlineBytes: 1_000,
      maxSegmentBytes: 20_000,
      fanOut: 8,
    })
    await create(driver, [])
    let weight = 0
    for (let at = 0; at < 200; at++) {
      const added = at % 2 ? entries(at, at + 1, 15_000) : entries(at, at + 12, 80)
      for (const entry of added) weight += entry.length + 16
      await append(driver, added)
    }
    const segments = store.head(ID)?.segments ?? []
    expect(segments.length).toBeLessThan((4 * weight) / 20_000 + 8 * 4)
    for (const { bytes } of segments) expect(bytes).toBeLessThanOrEqual(20_000)
  })
})

describe('what a read costs', () => {
  it('is the head alone where nothing changed, and the needed segments alone with skip', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 1_000, maxSegmentBytes: 2_000 })
    await create(driver, entries(0, 300))
    const { revision: unless } = await stored(driver)
    store.reset()
    expect(await driver.read(ID, { unless })).toBe('unchanged')
    expect([...store.calls]).toEqual([['readHead', 1]])
    store.reset()
    expect(await driver.read(ID, { skip: 299 })).toMatchObject({ entries: entries(299, 300) })
    expect(store.count('readSegment')).toBe(0)
    expect(await driver.read(ID, { skip: 100 })).toMatchObject({ entries: entries(100, 300) })
    expect(store.count('readSegment')).toBeLessThan(store.head(ID)?.segments.length ?? 0)
  })

  it('reads at most eight segments at once', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 100, maxSegmentBytes: 200 })
    await create(driver, entries(0, 200))
    let now = 0
    let most = 0
    store.before = async (call) => {
      if (call !== 'readSegment') return
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now--
    }
    expect((await stored(driver)).entries).toEqual(entries(0, 200))
    expect(most).toBe(8)
  })
})

describe('what is dropped and replaced', () => {
  it('cuts whole segments, and skips in the first', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 400, maxSegmentBytes: 400 })
    await create(driver, entries(0, 100))
    const before = store.names(ID)
    store.reset()
    expect(await append(driver, [], 15)).toBe(true)
    expect(store.count('writeSegment')).toBe(0)
    expect(store.head(ID)?.skip).toBe(15 - 11)
    expect(store.names(ID)).toHaveLength(before.length - 1)
    expect((await stored(driver)).entries).toEqual(entries(15, 100))
    expect(await append(driver, entries(100, 101), 85)).toBe(true)
    expect((await stored(driver)).entries).toEqual(entries(100, 101))
    expect(store.names(ID)).toEqual([])
  })

  it('splits large content below the limit, and removes what the old state needed', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 1_000, maxSegmentBytes: 10_000 })
    await create(driver, entries(0, 2_000))
    for (const name of store.names(ID)) {
      expect(store.segments.get(ID)?.get(name)?.text.length).toBeLessThan(10_000)
    }
    const next = { revision: revision(), head: '{}', entries: [] }
    expect(await driver.replace(ID, next, await stored(driver))).toBeTruthy()
    expect(store.names(ID)).toEqual([])
    expect((await stored(driver)).entries).toEqual([])
  })

  it('leaves nothing of what is deleted', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { inlineBytes: 100 })
    await create(driver, entries(0, 50))
    expect(await driver.delete?.(ID, { revision: 'another' })).toBe(false)
    expect(await driver.delete?.(ID, await stored(driver))).toBe(true)
    expect(store.heads.size + store.names(ID).length).toBe(0)
  })

  it('has no delete where the store has none', () => {
    const store = new MemorySegmentStore()
    const { removeHead: _, ...without } = { ...store, removeHead: undefined }
    expect(
      segmentedDriver(Object.assign(Object.create(store), without, { removeHead: undefined }))
        .delete,
    ).toBeUndefined()
  })
})

describe('memory', () => {
  it('keeps heads up to cacheBytes, those used last', async () => {
    const store = new MemorySegmentStore()
    const driver = segmentedDriver(store, { cacheBytes: 10_000 })
    const ids = Array.from({ length: 20 }, (_, at) => `m0:${at}`)
    for (const id of ids) await create(driver, entries(0, 10, 50), id)
    const reads = async (id: string) => {
      const version = { revision: store.head(id)?.revision ?? '' }
      store.reset()
      const change = { revision: revision(), head: '{}', drop: 0, entries: [] }
      await driver.append(id, change, version)
      return store.count('readHead')
    }
    expect(await reads('m0:19')).toBe(0)
    expect(await reads('m0:0')).toBe(1)
  })

  it('refuses sizes that make no sense', () => {
    const store = new MemorySegmentStore()
    for (const options of [
      { inlineBytes: -1 },
      { inlineBytes: Number.NaN },
      { maxSegmentBytes: 10 },
      { fanOut: 1 },
    ]) {
      expect(() => segmentedDriver(store, options)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    }
  })
})
