import { createStorage, type SessionDriver, type StorageScope } from '@holdfast/core'
import { aesGcm } from '@holdfast/core/encryption'
import { freshId } from '../fresh-id.ts'
import type { MemoryHarness } from '../memory/index.ts'
import type { SessionStoreHarness } from '../store/index.ts'
import {
  answeredFalse,
  answerLost,
  LateRequests,
  type Random,
  requestLate,
  requestUnsent,
  slow,
  withoutAppend,
} from '../wrappers/index.ts'
import type { DriverHarness } from './driver-harness.ts'
import { measured } from './measured.ts'
import type { StorageHarness, Wrap } from './storage/index.ts'

/** One way to run core over the driver under test. */
export interface Variant {
  readonly name: string
  /** Stands between core and the driver. `random` repeats with the seed. */
  wrap(driver: SessionDriver, random: Random): SessionDriver
  readonly scoped?: boolean
  readonly encrypted?: boolean
  /** Loses, delays or falsifies answers: cases that arrange their own faults are not run in it. */
  readonly faulty?: boolean
}

const asIs: Wrap = (driver) => driver

/** How often a faulty variant is at fault: often enough to be met in every case. */
const RATE = 0.3

export const VARIANTS: readonly Variant[] = [
  { name: 'plain', wrap: asIs },
  { name: 'without append', wrap: withoutAppend },
  { name: 'scoped', wrap: asIs, scoped: true },
  { name: 'encrypted', wrap: asIs, encrypted: true },
  {
    name: 'requests unsent',
    wrap: (driver, random) => requestUnsent(driver, () => random.chance(RATE)),
    faulty: true,
  },
  {
    name: 'answers lost',
    wrap: (driver, random) => answerLost(driver, () => random.chance(RATE)),
    faulty: true,
  },
  {
    name: 'answers lost without append',
    wrap: (driver, random) => answerLost(withoutAppend(driver), () => random.chance(RATE)),
    faulty: true,
  },
  {
    name: 'requests late',
    wrap: (driver, random) =>
      requestLate(
        driver,
        () => random.chance(RATE),
        new LateRequests(),
        () => 1 + random.below(25),
      ),
    faulty: true,
  },
  {
    name: 'committed, then false',
    wrap: (driver, random) => answeredFalse(driver, () => random.chance(RATE)),
    faulty: true,
  },
  { name: 'slow', wrap: (driver, random) => slow(driver, random), faulty: true },
]

/** Some cases let others commit hundreds of times within one call of a driver: on a slow server that takes a while. */
const TIMEOUT_MS = 60_000

/** The storage of one process in one case. */
function storageOf(variant: Variant, key: Uint8Array, scope: string) {
  return (driver: SessionDriver): StorageScope => {
    const encryption = variant.encrypted ? aesGcm(key) : undefined
    const storage = createStorage(driver, { encryption, timeoutMs: TIMEOUT_MS })
    return variant.scoped ? storage.scope(scope) : storage
  }
}

const random32 = () => crypto.getRandomValues(new Uint8Array(32))

export function storageHarness(
  variant: Variant,
  { driver, other }: DriverHarness,
  random: Random,
): StorageHarness {
  const scope = freshId('scope')
  const open = storageOf(variant, random32(), scope)
  const [first, second] = [variant.wrap(driver, random), variant.wrap(other, random)]
  return {
    driver: first,
    other: second,
    open: (wrap = asIs) => open(wrap(first)),
    reopen: (wrap = asIs) => open(wrap(second)),
    cellId: (id) => (variant.scoped ? `m1:${scope}:${id}` : `m0:${id}`),
  }
}

export function memoryHarness(
  variant: Variant,
  { driver, other }: DriverHarness,
  random: Random,
): MemoryHarness {
  const open = storageOf(variant, random32(), freshId('scope'))
  const [first, second] = [open(variant.wrap(driver, random)), open(variant.wrap(other, random))]
  return {
    abilities: { persistent: true, swap: 'eager', snapshot: true },
    open: async (id, options) => first.memory(id, options),
    reopen: async (id, options) => second.memory(id, options),
    newId: () => crypto.randomUUID(),
  }
}

export function sessionStoreHarness(
  variant: Variant,
  { driver, other }: DriverHarness,
  random: Random,
): SessionStoreHarness {
  const open = storageOf(variant, random32(), freshId('scope'))
  const traffic = { written: 0, read: 0 }
  const [first, second] = [driver, other].map((each) => {
    const wrapped = variant.wrap(each, random)
    return open(measured(wrapped, traffic)).sessions()
  }) as [ReturnType<StorageScope['sessions']>, ReturnType<StorageScope['sessions']>]
  // What is sent again, or whole for want of an append, is no measure of what a save takes.
  const counts = !variant.faulty && variant.wrap(driver, random).append !== undefined
  return {
    store: first,
    other: second,
    newId: () => crypto.randomUUID(),
    traffic: counts ? traffic : undefined,
  }
}
