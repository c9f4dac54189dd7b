import type { BrokenStore } from './broken-store.ts'
import { brokenConflicts } from './conflicts.ts'
import { brokenCosts } from './costs.ts'
import { brokenDeletions } from './deletions.ts'
import { brokenDetachments } from './detachments.ts'
import { brokenIsolations } from './isolations.ts'
import { brokenListings } from './listings.ts'
import { brokenRaces } from './races.ts'
import { brokenRefusals } from './refusals.ts'
import { brokenSavings } from './savings.ts'
import { brokenSequences } from './sequences.ts'
import { brokenValues } from './values.ts'

export type { BrokenStore } from './broken-store.ts'

/** Every deliberately broken session store. */
export const brokenStores: readonly BrokenStore[] = [
  ...brokenSavings,
  ...brokenConflicts,
  ...brokenDeletions,
  ...brokenDetachments,
  ...brokenValues,
  ...brokenRefusals,
  ...brokenIsolations,
  ...brokenListings,
  ...brokenRaces,
  ...brokenCosts,
  ...brokenSequences,
]
