import {
  type CompactPolicy,
  type CompactResult,
  type MemorySnapshot,
  StructuredCompactPolicy,
} from '@holdfast/core'

/** Keeps the newest turn and counts the rest in the summary: the same for the same memory. */
export class LatestPolicy implements CompactPolicy {
  readonly #at: number

  constructor(at: number) {
    this.#at = at
  }

  shouldCompact({ items }: MemorySnapshot): boolean {
    return items.length >= this.#at
  }

  compact(seen: MemorySnapshot): CompactResult {
    const from = Math.max(
      0,
      seen.items.findLastIndex(({ type, role }) => type === 'message' && role === 'user'),
    )
    const summary = `${seen.summary ?? ''}${from} items went. `
    return resultOf({ items: seen.items.slice(from), summary }, seen, summary)
  }
}

/** A policy that compacts memories of `at` items. */
export const compactPolicy = (kind: 'latest' | 'structured', at: number): CompactPolicy =>
  kind === 'latest'
    ? new LatestPolicy(at)
    : new StructuredCompactPolicy({ maxItems: Math.max(at, 3), keepRecentItems: 1 })

/** Has nothing to say. */
export const NO_POLICY: CompactPolicy = {
  shouldCompact: () => true,
  compact: (seen) => resultOf(seen, seen, undefined),
}

const resultOf = (
  memory: MemorySnapshot,
  seen: MemorySnapshot,
  summary: string | undefined,
): CompactResult => ({
  memory,
  ...(summary !== undefined && { summary }),
  completed: [`${seen.items.length} items`],
  pending: [],
  decisions: [],
  files: [],
  openQuestions: [],
  report: {
    itemsBefore: seen.items.length,
    itemsAfter: memory.items.length,
    approxCharsBefore: 0,
    approxCharsAfter: 0,
    approxTokensAfter: 0,
    dropped: seen.items.length - memory.items.length,
    truncated: 0,
    repairs: [],
    overBudget: false,
  },
})
