import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactPolicy, CompactResult } from '../contracts/compaction.ts'
import { knownOptions } from '../errors.ts'
import { Compaction, type CompactLimits, LIMITS } from './compact-limits.ts'
import { notesOf } from './compact-notes.ts'
import { extractNotes } from './extract-notes.ts'

/**
 * Takes notes of the older items, by rules alone: the same items always give the same summary, and no model is
 * asked. Statements of the user and what was decided become `decisions`; requests and questions are `pending` and
 * `openQuestions` until they are done or answered; calls with their outputs, and answers, are `completed`; paths
 * in texts and arguments are `files`. The summary holds all of them and is read back at the next compaction, so
 * that facts add up. A summary in any other form is kept in it, word for word.
 *
 * A summary over `maxSummaryChars` loses its oldest entries: those of `completed` first, then `files`,
 * `openQuestions`, `pending`, and `decisions` last.
 */
export class StructuredCompactPolicy implements CompactPolicy {
  readonly #compaction: Compaction

  /** `INVALID_ARGUMENT`: an option is wrong or does not exist. */
  constructor(options: CompactLimits = {}) {
    this.#compaction = new Compaction(knownOptions(options, LIMITS))
  }

  shouldCompact(snapshot: MemorySnapshot): boolean {
    return this.#compaction.due(snapshot)
  }

  compact(snapshot: MemorySnapshot): CompactResult {
    const cut = this.#compaction.cutOf(snapshot.items)
    const notes = notesOf(snapshot.summary)
    return this.#compaction.result(snapshot, cut, extractNotes(snapshot.items, cut, notes))
  }
}
