import { MemoryDriver } from '@holdfast/core'
import { describe, it } from 'vitest'
import { plainHarness, rightOver } from '../broken/stores/broken-store.ts'
import { brokenStores } from '../broken/stores/index.ts'
import { measured } from '../src/driver/measured.ts'
import { randomStoreCase, sessionStoreCases } from '../src/store/index.ts'
import { describeBroken } from './support/describe-broken.ts'

const SEED = 20_241
const cases = [...sessionStoreCases, randomStoreCase(SEED)]

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

describeBroken('session store', cases, brokenStores)
