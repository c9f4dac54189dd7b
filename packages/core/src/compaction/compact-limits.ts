import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactResult } from '../contracts/compaction.ts'
import { type AgentItem, systemMessage } from '../contracts/item.ts'
import { invalid } from '../errors.ts'
import { checkCount } from './check-count.ts'
import { boundNotes, type CompactNotes, notesText } from './compact-notes.ts'
import { reportOf, sizeOf } from './context-report.ts'
import { finishedLength, safeCut } from './finished-length.ts'

/** When a policy compacts, and how much it keeps. */
export interface CompactLimits {
  /** Most items of a memory. Default 200. */
  readonly maxItems?: number | undefined
  /** Most UTF-16 units of the items' JSON text. Default 200,000. */
  readonly maxApproxChars?: number | undefined
  /**
   * How many of the newest items stay as they are, less than `maxItems`; a few more where a call would be
   * parted from its output. Default 20, or half of a smaller `maxItems`.
   */
  readonly keepRecentItems?: number | undefined
  /** Most UTF-16 units of the summary; a foreign one is kept whole beside it. Default 12,000, at least 200. */
  readonly maxSummaryChars?: number | undefined
}

export const LIMITS = ['maxItems', 'maxApproxChars', 'keepRecentItems', 'maxSummaryChars'] as const

/** What policies share: when to compact, where to cut, and what becomes of the notes. */
export class Compaction {
  readonly #limits: Required<{ [Name in keyof CompactLimits]: number }>

  constructor({
    maxItems = 200,
    maxApproxChars = 200_000,
    keepRecentItems = Math.min(20, maxItems >> 1),
    maxSummaryChars = 12_000,
  }: CompactLimits) {
    checkCount('maxItems', maxItems, 1)
    checkCount('maxApproxChars', maxApproxChars, 1)
    checkCount('keepRecentItems', keepRecentItems, 0)
    checkCount('maxSummaryChars', maxSummaryChars, 200)
    if (keepRecentItems >= maxItems) {
      throw invalid(
        `keepRecentItems (${keepRecentItems}) must be less than maxItems (${maxItems}), or each step compacts.`,
      )
    }
    this.#limits = { maxItems, maxApproxChars, keepRecentItems, maxSummaryChars }
  }

  /** How many items at the front are to be replaced by a summary. */
  cutOf(items: readonly AgentItem[]): number {
    return safeCut(items, items.length - this.#limits.keepRecentItems)
  }

  /** True where the memory is too long and a cut would make it shorter: else each step would compact in vain. */
  due({ items }: MemorySnapshot): boolean {
    const { maxItems, maxApproxChars } = this.#limits
    return (
      (items.length > maxItems || sizeOf(items).chars > maxApproxChars) &&
      this.cutOf(items.slice(0, finishedLength(items))) > 0
    )
  }

  /** The memory without its first `cut` items, for which `notes` stand. */
  result(snapshot: MemorySnapshot, cut: number, notes: CompactNotes): CompactResult {
    const { foreign: _, ...lists } = boundNotes(notes, this.#limits.maxSummaryChars)
    const text = cut > 0 ? notesText({ ...lists, foreign: notes.foreign }) : ''
    const summary = text || snapshot.summary
    const items = snapshot.items.slice(cut)
    const memory = summary === undefined ? { items } : { items, summary }
    return {
      memory,
      ...(summary !== undefined && { summary }),
      ...lists,
      report: reportOf(shown(snapshot), shown(memory), { dropped: cut }),
    }
  }
}

const shown = ({ items, summary }: MemorySnapshot) =>
  sizeOf(summary?.trim() ? [systemMessage(summary), ...items] : items)
