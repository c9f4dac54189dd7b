import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { CompactResult } from '../contracts/compaction.ts'
import type { AgentEvent } from '../contracts/events.ts'
import { type AgentItem, functionCallOutput } from '../contracts/item.ts'
import { copyJson, isRecord } from '../json.ts'

/** One item as a display shows it, with the event that brought it. */
export interface TranscriptEntry {
  /** The sequence number of the event that brought it. */
  readonly sequence: number
  /** Epoch ms. */
  readonly at: number
  /** The item as it is shown now: a replaced output is the new one. */
  readonly item: AgentItem
}

/** How far to fold. */
export interface FoldOptions {
  /** The sequence number of the last event that counts. Default: all count. */
  readonly until?: number | undefined
}

/** Items in order, where the outputs of a call are found without a search. */
class Entries {
  readonly list: TranscriptEntry[] = []
  readonly #outputs = new Map<unknown, number[]>()

  push({ sequence, at }: AgentEvent, items: readonly AgentItem[]): void {
    for (const item of items) {
      if (item.type === 'function_call_output') {
        const places = this.#outputs.get(item['call_id'])
        if (places) places.push(this.list.length)
        else this.#outputs.set(item['call_id'], [this.list.length])
      }
      this.list.push({ sequence, at, item })
    }
  }

  replace(callId: unknown, output: unknown): void {
    for (const place of this.#outputs.get(callId) ?? []) {
      const entry = this.list[place]
      // Something else may stand where an output was cut off.
      if (entry?.item.type !== 'function_call_output' || entry.item['call_id'] !== callId) continue
      this.list[place] = { ...entry, item: { ...entry.item, output } }
    }
  }

  cut(length: number): void {
    this.list.length = Math.max(length, 0)
  }

  /** How many items at the front are those that `items` begins with, by their JSON text. */
  shared(items: readonly AgentItem[]): number {
    const end = this.list.findIndex(({ item }, at) => {
      return item !== items[at] && JSON.stringify(item) !== JSON.stringify(items[at])
    })
    return end < 0 ? this.list.length : end
  }
}

/** The items of a payload; none where it has no list of them. */
export const itemsOf = ({ items }: Record<string, unknown>): readonly AgentItem[] =>
  Array.isArray(items) ? items.filter(isRecord) : []

/**
 * The memory that `events` tell of: items of their own payloads, so for reading only. Linear in them.
 * `transcript`, if given, gets what a display shows.
 */
export function foldEvents(
  events: readonly AgentEvent[],
  { until = Infinity }: FoldOptions = {},
  transcript = new Entries(),
): MemorySnapshot {
  const memory = new Entries()
  let summary: unknown
  const install = (event: AgentEvent, snapshot: Record<string, unknown>) => {
    memory.cut(0)
    memory.push(event, itemsOf(snapshot))
    summary = snapshot['summary']
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
        memory.replace(callId, output)
        transcript.replace(callId, output)
        break
      case 'MEMORY_COMPRESS':
        // The report of a projection has none: it changes nothing.
        if (isRecord(compacted)) install(event, compacted)
        break
      case 'SESSION_RESTORED': {
        if (!Array.isArray(payload['items'])) break
        const items = itemsOf(payload)
        // What memory loses at its end is gone from the display, too; what was compacted away stays there.
        const kept = memory.shared(items)
        const cleared = payload['reason'] === 'clear'
        transcript.cut(cleared ? 0 : transcript.list.length - (memory.list.length - kept))
        transcript.push(event, items.slice(kept))
        install(event, payload)
      }
    }
  }
  const items = memory.list.map(({ item }) => item)
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
