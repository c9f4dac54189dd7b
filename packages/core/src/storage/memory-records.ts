import type { MemoryChange } from '../memory/base-memory.ts'
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
  const { state } = change
  const { state: old, positions, summaryAt } = memoryOf(cell.records)
  const cut = firstKept(old.items, state.items)
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

/** How many of the old items go, so that the rest is what the new ones begin with. */
function firstKept(old: readonly string[], next: readonly string[]): number {
  for (let cut = Math.max(0, old.length - next.length); cut < old.length; cut++) {
    let at = cut
    while (at < old.length && old[at] === next[at - cut]) at++
    if (at === old.length) return cut
  }
  return old.length
}
