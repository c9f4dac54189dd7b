import type { AgentSessionSnapshot } from '../contracts/agent-session-store.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { MemoryState } from '../memory/memory-state.ts'
import { isEventAfter } from '../sessions/event-history.ts'
import {
  checkSave,
  type SessionFold,
  type SessionState,
  sessionFoldOf,
  sessionSnapshotOf,
} from '../sessions/session-state.ts'
import type { CellChange, CellState } from './cell.ts'
import { corrupt } from './codec.ts'
import { corruptHead } from './head.ts'

/** Dead records (older differences to the fold) that a cell may carry before it is written anew. */
const MAX_DEAD = 16

/**
 * A session as the records of its cell: an event is an object. What the events do not tell is an array, of
 * which the latest of its kind counts:
 * - `["memory", front, items, tail, summary]`: memory is the fold's first `front` items, then `items`, then
 *   the fold's items from `tail` on (below 0: its last `-tail`); `["memory"]`: it is the fold again;
 * - `["compact", result or null]`; `["compact"]`: it is that of the last compaction among the events again.
 */
interface SessionRecords {
  readonly events: readonly string[]
  readonly memory: string | undefined
  readonly compact: string | undefined
}

function recordsOf(records: readonly string[]): SessionRecords {
  const latest = (kind: string) => records.findLast((record) => record.startsWith(`["${kind}"`))
  const events = records.filter((record) => record.startsWith('{'))
  return { events, memory: latest('memory'), compact: latest('compact') }
}

type Difference = readonly [
  kind: string,
  front?: number,
  items?: readonly unknown[],
  tail?: number,
  summary?: string | null,
]

const parse = (record: string): Difference => JSON.parse(record)

/** The memory that `record`, a difference to `fold`, stands for. */
function memoryOf(fold: MemoryState, record: string | undefined): MemoryState {
  if (record === undefined) return fold
  const [, front = 0, items, tail = 0, summary] = parse(record)
  if (!items) return fold
  const between = items.map((item) => JSON.stringify(item))
  return {
    items: [...fold.items.slice(0, front), ...between, ...fold.items.slice(tail)],
    summary: summary ?? undefined,
  }
}

const isSame = (one: MemoryState, other: MemoryState): boolean =>
  one.summary === other.summary &&
  one.items.length === other.items.length &&
  one.items.every((item, index) => item === other.items[index])

/** The record that makes `memory` of `fold` where `old` does not; none where it does. */
function memoryRecord(
  old: string | undefined,
  fold: MemoryState,
  { items, summary }: MemoryState,
): string[] {
  if (isSame(memoryOf(fold, old), { items, summary })) return []
  if (isSame(fold, { items, summary })) return ['["memory"]']
  const shorter = Math.min(items.length, fold.items.length)
  let front = 0
  while (front < shorter && items[front] === fold.items[front]) front++
  let end = 0
  while (end < shorter - front && items.at(-1 - end) === fold.items.at(-1 - end)) end++
  const between = items.slice(front, items.length - end).join(',')
  // A window keeps the fold's end, counted from there, and what was compacted keeps all that comes, counted
  // from the front: what stays right over many saves is not written again. If one was wrong, the other is tried.
  const oldTail = old === undefined ? undefined : parse(old)[3]
  const fromFront = oldTail === undefined ? summary !== undefined : oldTail < 0
  const tail = fromFront || end === 0 ? fold.items.length - end : -end
  return [`["memory",${front},[${between}],${tail},${JSON.stringify(summary ?? null)}]`]
}

function compactOf(fold: SessionFold, record: string | undefined): string | undefined {
  if (record === undefined) return fold.compact
  const [, ...result] = parse(record)
  if (result.length === 0) return fold.compact
  return result[0] === null ? undefined : JSON.stringify(result[0])
}

function compactRecord(
  old: string | undefined,
  fold: SessionFold,
  compact: string | undefined,
): string[] {
  if (compactOf(fold, old) === compact) return []
  return [compact === fold.compact ? '["compact"]' : `["compact",${compact ?? null}]`]
}

const besides = (
  old: Partial<SessionRecords>,
  fold: SessionFold,
  { memory, compact }: SessionState,
): string[] => [
  ...memoryRecord(old.memory, fold.memory, memory),
  ...compactRecord(old.compact, fold, compact),
]

/** The least that turns what the cell holds into `next`, whose events fold to `fold`; `CONFLICT` by `checkSave`. */
export function sessionChange(cell: CellState, next: SessionState, fold: SessionFold): CellChange {
  const old = recordsOf(cell.records)
  const { events, metadata: meta } = next
  const live = cell.life !== undefined
  const how = checkSave(next, live ? { revision: cell.revision, events: old.events } : undefined)
  if (live && how === 'added') {
    const add = [...events.slice(old.events.length), ...besides(old, fold, next)]
    if (cell.records.length + add.length <= 2 * events.length + MAX_DEAD) {
      return { drop: 0, add, meta }
    }
  }
  return { records: [...events, ...besides({}, fold, next)], meta }
}

/** A detached snapshot of what the cell holds; `undefined` if nothing. `CORRUPT` for what is no session. */
export function sessionOf(cell: CellState, id: string): AgentSessionSnapshot | undefined {
  const { life, revision, meta, records } = cell
  if (life === undefined || revision === undefined) return undefined
  const { events, memory, compact } = recordsOf(records)
  const parsed: AgentEvent[] = []
  let entry = 0
  for (const [index, text] of records.entries()) {
    if (text.startsWith('{')) {
      const last = parsed.at(-1)?.sequence ?? 0
      const event: unknown = JSON.parse(text)
      if (!isEventAfter(last, event)) {
        throw corrupt(cell.id, entry, new Error(`it is no event behind ${last}`))
      }
      parsed.push(event)
    }
    entry += cell.sizes[index] ?? 1
  }
  const fold = sessionFoldOf(parsed)
  try {
    return sessionSnapshotOf(
      {
        id,
        revision,
        metadata: meta ?? 'null',
        memory: memoryOf(fold.memory, memory),
        events,
        compact: compactOf(fold, compact),
      },
      revision,
      parsed,
    )
  } catch (cause) {
    throw corruptHead(cell.id, cause)
  }
}
