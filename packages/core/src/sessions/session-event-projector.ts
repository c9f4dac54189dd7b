import { checkCount } from '../compaction/check-count.ts'
import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactResult } from '../contracts/compaction.ts'
import type { AgentEvent } from '../contracts/events.ts'
import { type AgentItem, functionCallOutput } from '../contracts/item.ts'
import { knownOptions } from '../errors.ts'
import { copyJson, isRecord } from '../json.ts'

/** One item as a display shows it, with the event that brought it. */
export interface TranscriptEntry {
  /** The sequence number of the event that brought it. */
  readonly sequence: number
  /** Epoch ms. */
  readonly at: number
  /** The item as it is shown now: an output that was replaced while memory held it is the new one. */
  readonly item: AgentItem
}

/** How far to fold. */
export interface FoldOptions {
  /** The sequence number of the last event that counts, or 0; any other value is `INVALID_ARGUMENT`. Default: all count. */
  readonly until?: number | undefined
}

/** How many items at the front of both are the same, by their JSON text. */
function sharedLength(one: readonly AgentItem[], other: readonly AgentItem[]): number {
  const end = one.findIndex((item, at) => {
    return item !== other[at] && JSON.stringify(item) !== JSON.stringify(other[at])
  })
  return end < 0 ? one.length : end
}

/** Items in order with the events that brought them, where the outputs of a call are found without a search. */
export class Entries {
  readonly list: TranscriptEntry[] = []
  readonly #outputs = new Map<unknown, number[]>()

  push({ sequence, at }: Omit<TranscriptEntry, 'item'>, items: readonly AgentItem[]): void {
    for (const item of items) {
      if (item.type === 'function_call_output') {
        const places = this.#outputs.get(item['call_id'])
        if (places) places.push(this.list.length)
        else this.#outputs.set(item['call_id'], [this.list.length])
      }
      this.list.push({ sequence, at, item })
    }
  }

  /** Replaces the newest outputs of a call, at most so many; answers how many there were. */
  replace(callId: unknown, output: unknown, most = Infinity): number {
    const places = this.#outputs.get(callId) ?? []
    const newest = places.slice(Math.max(places.length - most, 0))
    for (const place of newest) {
      const entry = this.list[place] as TranscriptEntry
      this.list[place] = { ...entry, item: { ...entry.item, output } }
    }
    return newest.length
  }

  cut(length: number): void {
    for (const { item } of this.list.splice(Math.max(length, 0)).reverse()) {
      if (item.type === 'function_call_output') this.#outputs.get(item['call_id'])?.pop()
    }
  }

  get items(): AgentItem[] {
    return this.list.map(({ item }) => item)
  }

  /**
   * Puts `items` in the place of all; those at either end that were there before stay those of their events.
   * Answers how many at the front these are.
   */
  install(event: Omit<TranscriptEntry, 'item'>, items: readonly AgentItem[]): number {
    const old = this.items
    const most = Math.min(old.length, items.length)
    const shared = sharedLength(old, items)
    let back = sharedLength(old.toReversed(), items.toReversed())
    let front = shared
    // Where texts are the same twice, the longer part is the one that was kept.
    if (back > front) front = Math.min(front, most - back)
    else back = Math.min(back, most - front)
    const kept = this.list.slice(old.length - back)
    this.cut(front)
    this.push(event, items.slice(front, items.length - back))
    for (const entry of kept) this.push(entry, [entry.item])
    return shared
  }
}

/** The items of a payload; none where it has no list of them. */
export const itemsOf = ({ items }: Record<string, unknown>): readonly AgentItem[] =>
  Array.isArray(items) ? items.filter(isRecord) : []

/**
 * The memory that `events` tell of: items of their own payloads, so for reading only. Linear in them.
 * `transcript` and `memory`, if given, get what a display shows, and which event brought which item.
 */
export function foldEvents(
  events: readonly AgentEvent[],
  options: FoldOptions = {},
  transcript = new Entries(),
  memory = new Entries(),
): MemorySnapshot {
  // What is misspelt would silently be the whole fold.
  const { until = Infinity } = knownOptions(options, ['until'])
  if (until !== Infinity) checkCount('until', until, 0)
  let summary: unknown
  const install = (event: AgentEvent, snapshot: Record<string, unknown>) => {
    summary = snapshot['summary']
    return memory.install(event, itemsOf(snapshot))
  }
  for (const event of events) {
    if (event.sequence > until) break
    const payload: Record<string, unknown> = event.payload
    const { callId, output, memory: compacted } = payload
    switch (event.type) {
      case 'USER_INPUT':
      case 'MEMORY_ITEMS_APPENDED':
      case 'TOOL_RESULT': {
        const items =
          event.type === 'TOOL_RESULT'
            ? [functionCallOutput(callId as string, output as string)]
            : itemsOf(payload)
        memory.push(event, items)
        transcript.push(event, items)
        break
      }
      case 'TOOL_OUTPUT_REPLACED':
        // An id that a compaction freed may have been used again: what is gone from memory stays as it was.
        transcript.replace(callId, output, memory.replace(callId, output))
        break
      case 'MEMORY_COMPRESS':
        // The report of a projection has none: it changes nothing.
        if (isRecord(compacted)) install(event, compacted)
        break
      case 'SESSION_RESTORED': {
        if (!Array.isArray(payload['items'])) break
        const items = itemsOf(payload)
        // What memory loses at its end is gone from the display, too; what was compacted away stays there.
        const length = memory.list.length
        const kept = install(event, payload)
        const cleared = payload['reason'] === 'clear'
        transcript.cut(cleared ? 0 : transcript.list.length - (length - kept))
        transcript.push(event, items.slice(kept))
      }
    }
  }
  const { items } = memory
  return typeof summary === 'string' ? { items, summary } : { items }
}

/** What the last compaction in `events` answered, without the memory that it made: a part of its payload. */
export function foldCompact(
  events: readonly AgentEvent[],
): Omit<CompactResult, 'memory'> | undefined {
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.type !== 'MEMORY_COMPRESS' || !isRecord(event.payload['memory'])) continue
    const { memory: _, ...result } = event.payload as unknown as CompactResult
    return result
  }
  return undefined
}

/**
 * What the events of a session, in their order, make of its memory. Types that are not known change
 * nothing. Answers detached copies.
 */
export const SessionEventProjector = {
  /** The memory as it was after the last event, or after event `until`. */
  deriveSnapshot: (events: readonly AgentEvent[], options?: FoldOptions): MemorySnapshot =>
    copyJson(foldEvents(events, options)),

  /** The items of `deriveSnapshot`. */
  deriveItems: (events: readonly AgentEvent[], options?: FoldOptions): AgentItem[] =>
    copyJson([...foldEvents(events, options).items]),

  /** The summary of `deriveSnapshot`; `undefined` where there is none. */
  deriveSummary: (events: readonly AgentEvent[], options?: FoldOptions): string | undefined =>
    foldEvents(events, options).summary,

  /** What the last compaction answered, without the memory that it made. */
  deriveCompact(events: readonly AgentEvent[]): Omit<CompactResult, 'memory'> | undefined {
    const result = foldCompact(events)
    return result && copyJson(result)
  },

  /**
   * What a display shows: every item that was ever in memory, also where a compaction took it away. Only
   * what was taken back (undo, restore) or cleared is gone.
   */
  deriveTranscript(events: readonly AgentEvent[], options?: FoldOptions): TranscriptEntry[] {
    const transcript = new Entries()
    foldEvents(events, options, transcript)
    return copyJson(transcript.list)
  },
}
