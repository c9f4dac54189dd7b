import { brokenAppends } from './appends.ts'
import type { BrokenDriver } from './broken-driver.ts'
import { brokenDeletions } from './deletions.ts'
import { brokenIds } from './ids.ts'
import { brokenListings } from './listings.ts'
import { brokenOrders } from './orders.ts'
import { brokenRaces } from './races.ts'
import { brokenReads } from './reads.ts'
import { brokenValues } from './values.ts'
import { brokenWrites } from './writes.ts'

export type { BrokenDriver } from './broken-driver.ts'

/** Drivers with one fault each: the suite must reject every one, by the cases that it names. */
export const brokenDrivers: readonly BrokenDriver[] = [
  ...brokenReads,
  ...brokenWrites,
  ...brokenAppends,
  ...brokenOrders,
  ...brokenListings,
  ...brokenIds,
  ...brokenValues,
  ...brokenDeletions,
  ...brokenRaces,
]
