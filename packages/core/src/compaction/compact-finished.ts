import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactPolicy, CompactResult } from '../contracts/compaction.ts'
import { finishedLength } from './finished-length.ts'

/**
 * What `policy` makes of the turns that are over, with the unfinished turn behind it; `undefined` where no turn
 * is over. The report counts what the policy saw.
 */
export function compactFinished(
  policy: CompactPolicy,
  snapshot: MemorySnapshot,
  options?: { readonly signal?: AbortSignal },
): CompactResult | Promise<CompactResult> | undefined {
  const finished = finishedLength(snapshot.items)
  if (!finished) return undefined
  const result = policy.compact({ ...snapshot, items: snapshot.items.slice(0, finished) }, options)
  const whole = (answer: CompactResult): CompactResult => ({
    ...answer,
    memory: {
      ...answer.memory,
      items: [...answer.memory.items, ...snapshot.items.slice(finished)],
    },
  })
  return 'then' in result ? result.then(whole) : whole(result)
}
