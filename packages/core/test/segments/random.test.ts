import { expect, it } from 'vitest'
import { MemoryDriver, type SessionDriver, type StoredSession } from '../../src/index.ts'
import { segmentedDriver } from '../../src/segments.ts'
import { MemorySegmentStore } from './memory-segment-store.ts'
import { random, revision } from './support.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

it(`does what MemoryDriver does, whatever the order (HOLDFAST_SEED=${SEED})`, async () => {
  const pick = random(SEED)
  for (let round = 0; round < 40; round++) {
    const store = new MemorySegmentStore()
    store.pageSize = 1 + pick(5)
    const limits = {
      inlineBytes: 50 + pick(400),
      maxSegmentBytes: 450 + pick(2_000),
      fanOut: 2 + pick(5),
      cacheBytes: pick(2) * 100_000,
    }
    const drivers = [segmentedDriver(store, limits), segmentedDriver(store, limits)] as const
    const model = new MemoryDriver()
    const both = async <T>(run: (driver: SessionDriver) => Promise<T> | undefined) => {
      const answers = await Promise.all([run(drivers[pick(2) as 0 | 1]), run(model)])
      expect(answers[0]).toEqual(answers[1])
      return answers[1]
    }
    const texts = () =>
      Array.from({ length: pick(8) }, () =>
        JSON.stringify('é'.repeat(pick(10) ? pick(40) : pick(900))),
      )
    let last = null as StoredSession | null
    let old = null as StoredSession | null
    for (let step = 0; step < 120; step++) {
      const id = 'm0:walk'
      const base = pick(6) === 0 ? old : last
      const next = { revision: revision(), head: `{"at":${step}}`, entries: texts() }
      const what = pick(20)
      if (what < 12 && base) {
        const drop = pick(3) ? 0 : pick(base.entries.length + 1)
        await both((driver) => driver.append?.(id, { ...next, drop }, base))
      } else if (what < 15) {
        await both((driver) => driver.replace(id, next, base))
      } else if (what === 15 && base) {
        await both((driver) => driver.delete?.(id, base))
      } else if (what === 16) {
        // With no grace at all: nothing is under way here. Whoever wrote the head before hears of its new
        // guard by reading, as core does behind each false.
        await drivers[0].sweep({ after: '', before: 'z', olderThanMs: -1 })
        for (const driver of drivers) await driver.read(id)
      } else if (what === 17) {
        await both((driver) => driver.list({ limit: 10 }))
      } else {
        const query = { skip: pick(30), ...(base && { unless: base.revision }) }
        await both((driver) => driver.read(id, query))
      }
      const now = await both((driver) => driver.read(id))
      if (now === 'unchanged') throw new Error('without being asked')
      if (now?.revision !== last?.revision) old = last
      last = now ?? null
    }
  }
})
