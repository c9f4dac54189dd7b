import type { CompactPolicy } from '../contracts/compaction.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { compactFinished } from './compact-finished.ts'
import { isDue } from './is-due.ts'

/**
 * A compressor that compacts as `policy` does, whenever `policy.shouldCompact` says so. The unfinished turn is
 * kept. With a policy that answers synchronously it is part of the add's one commit.
 */
export const compressorOf = (policy: CompactPolicy): MemoryCompressor => ({
  compress(snapshot) {
    const result = isDue(policy, snapshot) && compactFinished(policy, snapshot)
    if (!result) return snapshot
    return 'then' in result ? result.then(({ memory }) => memory) : result.memory
  },
})
