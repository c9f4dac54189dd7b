import { conflictCases } from './conflicts.ts'
import { costCases } from './costs.ts'
import { deletionCases } from './deletion.ts'
import { detachmentCases } from './detachment.ts'
import { isolationCases } from './isolation.ts'
import { keptValueCases } from './kept-values.ts'
import { listingCases } from './listing.ts'
import { raceCases } from './races.ts'
import { refusalCases } from './refusals.ts'
import { savingCases } from './saving.ts'
import type { SessionStoreCase } from './session-store-harness.ts'

/** Every rule of a session store, by topic. */
export const sessionStoreCases: readonly SessionStoreCase[] = [
  ...savingCases,
  ...conflictCases,
  ...deletionCases,
  ...detachmentCases,
  ...keptValueCases,
  ...refusalCases,
  ...isolationCases,
  ...listingCases,
  ...raceCases,
  ...costCases,
]
