import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactPolicy } from '../contracts/compaction.ts'
import { synchronous } from './synchronous.ts'

/** Whether `policy` asks for a compaction of `snapshot`; `INVALID_ARGUMENT` where it answers a promise. */
export const isDue = (policy: CompactPolicy, snapshot: MemorySnapshot): boolean =>
  Boolean(synchronous('shouldCompact', policy.shouldCompact(snapshot)))
