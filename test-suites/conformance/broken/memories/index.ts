import { brokenAliases } from './aliases.ts'
import type { BrokenMemory } from './broken-memory.ts'
import { brokenCompressions } from './compressions.ts'
import { brokenConcurrencies } from './concurrencies.ts'
import { brokenFailures } from './failures.ts'
import { brokenInputs } from './inputs.ts'
import { brokenIsolations } from './isolations.ts'
import { brokenOrders } from './orders.ts'
import { brokenPersistences } from './persistences.ts'
import { brokenSlowCompressions } from './slow-compressions.ts'
import { brokenStates } from './states.ts'
import { brokenSummaries } from './summaries.ts'
import { brokenSwaps } from './swaps.ts'
import { brokenValues } from './values.ts'
import { brokenWindows } from './windows.ts'

export type { BrokenMemory } from './broken-memory.ts'

/** Every deliberately broken memory. */
export const brokenMemories: readonly BrokenMemory[] = [
  ...brokenSummaries,
  ...brokenInputs,
  ...brokenStates,
  ...brokenOrders,
  ...brokenAliases,
  ...brokenValues,
  ...brokenCompressions,
  ...brokenFailures,
  ...brokenSlowCompressions,
  ...brokenSwaps,
  ...brokenWindows,
  ...brokenIsolations,
  ...brokenPersistences,
  ...brokenConcurrencies,
]
