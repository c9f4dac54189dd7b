import {
  type AgentSessionStore,
  createStorage,
  MemoryDriver,
  type SessionDriver,
} from '@holdfast/core'
import { measured } from '../../src/driver/measured.ts'
import type { SessionStoreHarness } from '../../src/store/index.ts'
import { PlainStore, type World } from './plain-store.ts'

/** A session store with one fault, and the case that must reject it. */
export interface BrokenStore {
  /** What is wrong, in words. */
  readonly fault: string
  /** Id of the case named for it. */
  readonly rejectedBy: string
  harness(): SessionStoreHarness
}

const newId = () => crypto.randomUUID()

type Made = new (world: World) => PlainStore

/** The plain store in two processes. */
export function plainHarness(Store: Made = PlainStore): SessionStoreHarness {
  const world: World = { rows: new Map(), extra: new Map() }
  return { store: new Store(world), other: new Store(world), newId }
}

/** A fault of the store itself. */
export const broken = (fault: string, rejectedBy: string, Store: Made): BrokenStore => ({
  fault,
  rejectedBy: `store-${rejectedBy}`,
  harness: () => plainHarness(Store),
})

/** A fault in what a store makes of its driver; `traffic` sees what passes. */
export const overDriver = (
  fault: string,
  rejectedBy: string,
  open: (driver: SessionDriver) => AgentSessionStore,
): BrokenStore => ({
  fault,
  rejectedBy: `store-${rejectedBy}`,
  harness() {
    const traffic = { written: 0, read: 0 }
    const driver = measured(new MemoryDriver(), traffic)
    return { store: open(driver), other: open(driver), newId, traffic }
  },
})

/** Core's own store over a driver. */
export const rightOver = (driver: SessionDriver): AgentSessionStore =>
  createStorage(driver).sessions()
