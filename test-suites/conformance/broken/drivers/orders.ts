import type { Append, StoredSession } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver } from './plain-driver.ts'

/** Entries under keys, in the order of the keys. */
const byKey = (entries: readonly string[], keyOf: (index: number) => string): string[] =>
  entries
    .map((entry, index) => ({ entry, key: keyOf(index) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ entry }) => entry)

const sorted = (
  name: string,
  killedBy: string | readonly string[],
  keyOf: (index: number) => string,
) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override answer(cell: Cell, skip: number): StoredSession {
        return { ...cell, entries: byKey(cell.entries, keyOf).slice(skip) }
      }
    },
  )

/** When each entry was stored, beside the entry: rows of a table that is ordered by its time. */
const timed = (name: string, killedBy: string, clock: (index: number) => number) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override joined(cell: Cell, change: Append) {
        const entries = super.joined(cell, change)
        const from = entries.length - change.entries.length
        const rows = entries.map((entry, index) => ({
          entry,
          at: index < from ? (Times.get(cell)?.[index] ?? 0) : clock(index),
        }))
        rows.sort((a, b) => a.at - b.at)
        Times.set(
          cell,
          rows.map((row) => row.at),
        )
        return rows.map((row) => row.entry)
      }
    },
  )

/** A replace that stores at most `most` entries. */
const cutting = (name: string, killedBy: string, most: number) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        super.put(id, { ...next, entries: next.entries.slice(0, most) }, before)
      }
    },
  )

/** An append that adds at most `most` entries. */
const cuttingAppend = (name: string, killedBy: string, most: number) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override joined(cell: Cell, change: Append) {
        return super.joined(cell, { ...change, entries: change.entries.slice(0, most) })
      }
    },
  )

const Times = new WeakMap<Cell, number[]>()

export const brokenOrders = [
  sorted('entry numbers are sorted as text', ['order-replace', 'order-append'], String),
  sorted(
    'entry numbers of three digits are sorted as text',
    ['order-append', 'order-replace'],
    (index) => String(index).padStart(3, '0'),
  ),
  // Within one millisecond the tie is broken by chance, as a random primary key does.
  timed(
    'entries are ordered by a clock of milliseconds',
    'order-burst',
    () => Date.now() + Math.random() * 0.9,
  ),
  cutting('replace cuts after 5,000 entries', 'order-replace-long', 5_000),
  cutting('replace cuts after 65,535 entries', 'order-replace-long', 65_535),
  cuttingAppend('append cuts after 5,000 entries', 'order-append-long', 5_000),
  cuttingAppend('append cuts after 65,535 entries', 'order-append-long', 65_535),
  broken(
    'entry numbers start again at 100 under a window',
    'order-window',
    class extends PlainDriver {
      readonly #count = new WeakMap<Cell, number>()
      override joined(cell: Cell, change: Append) {
        const count = (this.#count.get(cell) ?? 0) + change.entries.length
        this.#count.set(cell, count)
        const entries = super.joined(cell, change)
        return change.drop > 0 && count % 100 < 3
          ? [...entries.slice(-1), ...entries.slice(0, -1)]
          : entries
      }
    },
  ),
]
