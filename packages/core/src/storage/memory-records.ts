import type { MemoryChange } from '../memory/compression.ts'
import type { MemoryState } from '../memory/memory-state.ts'
import type { CellChange, CellState } from './cell.ts'

/** Dead records (older summaries) that a cell may carry before it is written anew. */
const MAX_DEAD = 16

/** A memory as the records of its cell: an item is an object, the summary an array, of which the latest counts. */
interface MemoryRecords {
  readonly state: MemoryState
  /** The record of each item. */
  readonly positions: readonly number[]
  /** The record of the summary, -1 if there is none. */
  readonly summaryAt: number
}

const summaryRecord = (summary: string) => JSON.stringify(['summary', summary])

export function memoryOf(records: readonly string[]): MemoryRecords {
  const items: string[] = []
  const positions: number[] = []
  let summaryAt = -1
  records.forEach((record, index) => {
    if (record.startsWith('{')) {
      items.push(record)
      positions.push(index)
    } else if (record.startsWith('["summary"')) {
      summaryAt = index
    }
  })
  const record = records[summaryAt]
  const summary = record === undefined ? undefined : (JSON.parse(record)[1] as string | undefined)
  return { state: summary === undefined ? { items } : { items, summary }, positions, summaryAt }
}

export const recordsOf = ({ items, summary }: MemoryState): string[] =>
  summary === undefined ? [...items] : [...items, summaryRecord(summary)]

/** The least that turns what the cell holds into what `change` wants: records to drop and add, or all anew. */
export function changeOf(cell: CellState, change: NonNullable<MemoryChange>): CellChange {
  if ('add' in change) return { drop: 0, add: change.add }
  const { state, create } = change
  if (create && cell.life === undefined) return { records: recordsOf(state) }
  const { state: old, positions, summaryAt } = memoryOf(cell.records)
  const cut = old.items.length - overlap(old.items, state.items)
  // Nothing remains to be kept in place, or a summary is taken away: then its text goes, too.
  const anew =
    (cut === old.items.length && cut > 0) ||
    (old.summary !== undefined && state.summary === undefined)
  if (anew) return { records: recordsOf(state) }

  const drop = cut === 0 ? 0 : (positions[cut] ?? 0)
  const add = state.items.slice(old.items.length - cut)
  // A live summary inside the cut prefix is added again.
  if (state.summary !== undefined && (state.summary !== old.summary || summaryAt < drop)) {
    add.push(summaryRecord(state.summary))
  }
  if (drop === 0 && add.length === 0) return undefined
  const total = cell.records.length - drop + add.length
  return total > 2 * state.items.length + MAX_DEAD ? { records: recordsOf(state) } : { drop, add }
}

/**
 * How many items at the end of `old` are those that `next` begins with. By the failure function of `next`
 * (Knuth, Morris, Pratt), in linear time: a thousand equal items are nothing special to users.
 */
function overlap(old: readonly string[], next: readonly string[]): number {
  const fall = [0]
  const extend = (length: number, item: string | undefined): number => {
    while (length > 0 && next[length] !== item) length = fall[length - 1] ?? 0
    return next[length] === item ? length + 1 : 0
  }
  for (let at = 1; at < Math.min(old.length, next.length); at++) {
    fall.push(extend(fall[at - 1] ?? 0, next[at]))
  }
  let length = 0
  for (const item of old) length = extend(length, item)
  return length
}
