import { boundCases } from './bounds.ts'
import { isolationCases } from './isolation.ts'
import { lateRequestCases } from './late-requests.ts'
import { lostAnswerCases } from './lost-answers.ts'
import { sessionCases } from './sessions.ts'
import type { StorageCase } from './storage-harness.ts'

export { randomStorageCase } from './random-storage.ts'
export type { StorageCase, StorageHarness, Wrap } from './storage-harness.ts'

/** The rules of core's storage that stand on what a driver promises. */
export const storageCases: readonly StorageCase[] = [
  ...lostAnswerCases,
  ...lateRequestCases,
  ...isolationCases,
  ...boundCases,
  ...sessionCases,
]
