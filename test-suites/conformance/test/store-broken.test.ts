import { MemoryDriver } from '@holdfast/core'
import { afterAll, describe, expect, it } from 'vitest'
import { plainHarness, rightOver } from '../broken/stores/broken-store.ts'
import { brokenStores } from '../broken/stores/index.ts'
import { measured } from '../src/driver/measured.ts'
import { randomStoreCase, type SessionStoreHarness, sessionStoreCases } from '../src/store/index.ts'
import { within } from '../src/within.ts'

const SEED = 20_241
/** A case that hangs has failed: a broken store may never answer. */
const PATIENCE_MS = 10_000

const cases = [...sessionStoreCases, randomStoreCase(SEED)]
const rejected = new Set<string>()

/** How the case ended: `passed`, or why not. */
const run = (current: (typeof cases)[number], harness: SessionStoreHarness): Promise<string> =>
  within(PATIENCE_MS, current.id, () => current.run(harness)).then(
    () => 'passed',
    (error: unknown) => String(error),
  )

describe('the store that the broken ones are made from', () => {
  const harness = plainHarness()
  for (const current of cases) {
    if ((current.applies?.(harness) ?? true) !== true) continue
    it(`passes ${current.id}`, () => current.run(harness))
  }
})

describe("core's store over a driver whose traffic is measured", () => {
  const traffic = { written: 0, read: 0 }
  const driver = measured(new MemoryDriver(), traffic)
  const newId = () => crypto.randomUUID()
  for (const current of cases) {
    it(`passes ${current.id}`, () =>
      current.run({ store: rightOver(driver), other: rightOver(driver), newId, traffic }))
  }
})

describe('broken session stores', () => {
  for (const { fault, rejectedBy, harness } of brokenStores) {
    it(`${fault}: rejected by ${rejectedBy}`, async () => {
      const broken = harness()
      const current = cases.find(({ id }) => id === rejectedBy)
      expect(current, `the case ${rejectedBy} exists`).toBeDefined()
      if (!current) return
      expect(current.applies?.(broken) ?? true).toBe(true)
      expect(await run(current, broken)).not.toBe('passed')
      rejected.add(`${fault}: ${rejectedBy}`)
    })
  }

  it('every case has a broken store that dies of it', () => {
    const named = new Set(brokenStores.map(({ rejectedBy }) => rejectedBy))
    expect(cases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
  })

  afterAll(() => {
    console.info(
      `${rejected.size} of ${brokenStores.length} broken session stores rejected by the case named for it; ${cases.length} session-store cases`,
    )
  })
})
