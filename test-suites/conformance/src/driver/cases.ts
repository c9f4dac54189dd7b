import { appendCases } from './appends.ts'
import { connectionCases } from './connections.ts'
import { deletionCases } from './deletion.ts'
import type { DriverCase } from './driver-harness.ts'
import { idCases } from './ids.ts'
import { listingCases } from './listing.ts'
import { orderCases } from './order.ts'
import { raceCases } from './races.ts'
import { readCases } from './reads.ts'
import { valueCases } from './values.ts'
import { writeCases } from './writes.ts'

/** Every rule of the driver contract, by topic. */
export const sessionDriverCases: readonly DriverCase[] = [
  ...readCases,
  ...writeCases,
  ...appendCases,
  ...orderCases,
  ...listingCases,
  ...idCases,
  ...valueCases,
  ...deletionCases,
  ...raceCases,
  ...connectionCases,
]
