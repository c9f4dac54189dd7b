import type { MemorySnapshot } from './agent-memory.ts'
import type { AgentItem } from './item.ts'

/** How much of a memory one prompt may show. Every bound is optional; without any, a prompt shows all of it. */
export interface ContextBudget {
  /** Most items, the summary's message included. */
  readonly maxItems?: number
  /** Most UTF-16 units of the items' JSON text. */
  readonly maxApproxChars?: number
  /** Most tokens, by `countTokens`. */
  readonly maxApproxTokens?: number
  /** Tokens of a text: a finite number from 0, or `INVALID_ARGUMENT`. Default: a quarter of its UTF-16 units, rounded up. */
  readonly countTokens?: (text: string) => number
  /** How many items at the front, behind the summary, are always shown. Default 0. */
  readonly pinnedPrefixItems?: number
  /** How many tool results of finished turns are shown in full, the newest; older ones are cut. Default: all. */
  readonly maxRecentToolResults?: number
  /** Leave out the reasoning of finished turns. Default false. */
  readonly trimOldReasoning?: boolean
}

/** What was done to the items of a memory to make a prompt or a shorter memory of them. */
export interface ContextReport {
  /** How many items there were, the summary’s message included. */
  readonly itemsBefore: number
  /** How many are left, likewise. */
  readonly itemsAfter: number
  /** UTF-16 units of the items' JSON text. */
  readonly approxCharsBefore: number
  /** The same of what is left. */
  readonly approxCharsAfter: number
  /** By the budget's counter. */
  readonly approxTokensAfter: number
  /** Items left out to keep the budget. */
  readonly dropped: number
  /** Items of which only a part is shown. */
  readonly truncated: number
  /** What was left out, added or moved so that a model accepts the prompt: one short line each. */
  readonly repairs: readonly string[]
  /** True where the unfinished turn and the pinned items alone are over the budget; they are shown all the same. */
  readonly overBudget: boolean
}

/** Makes what a model is shown out of what memory holds, for one call; memory never changes by it. */
export interface ContextProjector {
  /**
   * `items` are a copy of its own, as `memory.getItems()` answered them. No output without its call and no
   * call without an output may be in what it answers, whatever it was given. Synchronous: a promise is
   * `INVALID_ARGUMENT`.
   */
  project(
    items: readonly AgentItem[],
    budget: ContextBudget,
  ): { readonly items: AgentItem[]; readonly report: ContextReport }
}

/** What a compaction makes of a memory. */
export interface CompactResult {
  /** What takes the place of the memory that the policy saw. */
  readonly memory: MemorySnapshot
  /** The text that `memory.summary` holds. */
  readonly summary?: string
  /** What was done. */
  readonly completed: readonly string[]
  /** What is still to do. */
  readonly pending: readonly string[]
  /** What was decided, and what the user asked to keep in mind. */
  readonly decisions: readonly string[]
  /** Files, by path. */
  readonly files: readonly string[]
  /** Questions without an answer yet. */
  readonly openQuestions: readonly string[]
  /** What was cut, in figures. */
  readonly report: ContextReport
}

/** Decides when a memory is too long, and makes a shorter one of it. */
export interface CompactPolicy {
  /** Asked at the start of each step with the whole memory; synchronous, a promise is `INVALID_ARGUMENT`. */
  shouldCompact(snapshot: MemorySnapshot): boolean
  /**
   * `snapshot` is a copy of its own without the unfinished turn, which is kept behind the result whatever the
   * policy answers. Must keep `snapshot.summary` where it has nothing to put in its place.
   */
  compact(
    snapshot: MemorySnapshot,
    options?: { readonly signal?: AbortSignal },
  ): CompactResult | Promise<CompactResult>
}
