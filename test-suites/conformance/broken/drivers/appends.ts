import type { Append, StoredSession, Version } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver, tick } from './plain-driver.ts'

/** A fault in what an append makes of the entries. */
const joining = (
  name: string,
  killedBy: string | readonly string[],
  joined: (cell: Cell, change: Append) => string[],
) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override joined(cell: Cell, change: Append) {
        return joined(cell, change)
      }
    },
  )

/** An append that takes more than the stored revision for it. */
const looseAppend = (name: string, same: (stored: string, expected: string) => boolean) =>
  broken(
    name,
    'append-revision-exact',
    class extends PlainDriver {
      override append(id: string, change: Append, expected: Version) {
        const cell = this.find(id)
        const matches = cell && same(cell.revision, expected.revision)
        return super.append(id, change, matches ? { revision: cell.revision } : expected)
      }
    },
  )

export const brokenAppends = [
  joining('new entries are put in front', 'append-adds', (cell, change) => [
    ...change.entries,
    ...cell.entries.slice(change.drop),
  ]),
  broken(
    'append accepts every version that ever was',
    'append-version',
    class extends PlainDriver {
      readonly #known = new Set<string>()
      override matches(cell: Cell | undefined, expected: Version | null) {
        const known = expected !== null && cell !== undefined && this.#known.has(expected.revision)
        return known || super.matches(cell, expected)
      }
      override async append(id: string, change: Append, expected: Version) {
        this.#known.add(expected.revision)
        return super.append(id, change, expected)
      }
    },
  ),
  broken(
    'append does not ask for the version',
    ['append-stale', 'race-append', 'late-after-newer'],
    class extends PlainDriver {
      override append(id: string, change: Append, expected: Version) {
        return super.append(id, change, this.find(id) ?? expected)
      }
    },
  ),
  looseAppend(
    'append compares revisions without case',
    (stored, expected) => stored.toLowerCase() === expected.toLowerCase(),
  ),
  looseAppend('append compares revisions by their beginning', (stored, expected) =>
    stored.startsWith(expected),
  ),
  looseAppend(
    'append compares revisions without the blanks at their end',
    (stored, expected) => stored.trimEnd() === expected.trimEnd(),
  ),
  broken(
    'appending to what is not there creates it',
    ['append-absent', 'delete-late-write'],
    class extends PlainDriver {
      override async append(id: string, change: Append, expected: Version) {
        if (this.find(id)) return super.append(id, change, expected)
        return this.replace(id, change, null)
      }
    },
  ),
  joining(
    'drop takes the newest entries',
    ['append-drop', 'order-window'],
    (cell, { drop, entries }) => [...cell.entries.slice(0, cell.entries.length - drop), ...entries],
  ),
  joining(
    'drop takes one too many',
    ['append-drop', 'random-memories'],
    (cell, { drop, entries }) => [...cell.entries.slice(drop > 0 ? drop + 1 : 0), ...entries],
  ),
  // `slice(-0)` is everything.
  joining('dropping all entries drops none', 'append-drop', (cell, { drop, entries }) => [
    ...cell.entries.slice(-(cell.entries.length - drop)),
    ...entries,
  ]),
  broken(
    'an append of no entries is not written',
    'append-nothing',
    class extends PlainDriver {
      override async append(id: string, change: Append, expected: Version) {
        if (change.entries.length > 0) return super.append(id, change, expected)
        return this.matches(this.find(id), expected) ? { revision: change.revision } : false
      }
    },
  ),
  broken(
    'append goes on behind what a shorter list had replaced',
    'append-after-replace',
    class extends PlainDriver {
      readonly #old = new Map<string, string[]>()
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        this.#old.set(id, before?.entries.slice(next.entries.length) ?? [])
        super.put(id, next, before)
      }
      override joined(cell: Cell, change: Append) {
        const rest = this.#old.get(cell.id) ?? []
        this.#old.delete(cell.id)
        return [...cell.entries.slice(change.drop), ...rest, ...change.entries]
      }
    },
  ),
  broken(
    'skip counts the entries that were dropped, too',
    'append-skip',
    class extends PlainDriver {
      readonly #dropped = new Map<string, number>()
      override joined(cell: Cell, change: Append) {
        this.#dropped.set(cell.id, (this.#dropped.get(cell.id) ?? 0) + change.drop)
        return super.joined(cell, change)
      }
      override answer(cell: Cell, skip: number) {
        return super.answer(cell, Math.max(0, skip - (this.#dropped.get(cell.id) ?? 0)))
      }
    },
  ),
  broken(
    'the revision of the last replace still counts as unchanged after appends',
    'append-unless',
    class extends PlainDriver {
      #replaced(): Map<string, string> {
        const known = Stale.get(this.cells) ?? new Map<string, string>()
        Stale.set(this.cells, known)
        return known
      }
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        this.#replaced().set(id, next.revision)
        super.put(id, next, before)
      }
      override isUnchanged(cell: Cell, unless: string | undefined) {
        return (
          unless !== undefined && [cell.revision, this.#replaced().get(cell.id)].includes(unless)
        )
      }
    },
  ),
  broken(
    'append pushes into the array that a read handed out',
    'append-detached',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number): StoredSession {
        return skip > 0 ? super.answer(cell, skip) : { ...cell }
      }
      override joined(cell: Cell, change: Append) {
        cell.entries.splice(0, change.drop)
        cell.entries.push(...change.entries)
        return cell.entries
      }
    },
  ),
  broken(
    'append keeps the old head',
    [
      ...[
        'append-adds',
        'lost-append',
        'lost-summary',
        'lost-swap',
        'lost-across-commits',
        'lost-across-deletion',
      ],
      ...['lost-beyond-writers', 'lost-append-others-between', 'false-after-commit'],
    ],
    class extends PlainDriver {
      override append(id: string, change: Append, expected: Version) {
        return super.append(id, { ...change, head: this.find(id)?.head ?? change.head }, expected)
      }
    },
  ),
  broken(
    'an append writes its entries one by one',
    'race-torn-append',
    class extends PlainDriver {
      override async append(id: string, change: Append, expected: Version) {
        const cell = this.find(id)
        if (!cell || !this.matches(cell, expected)) return false
        cell.revision = change.revision
        cell.head = change.head
        cell.entries.splice(0, change.drop)
        for (const entry of change.entries) {
          cell.entries.push(entry)
          await tick()
        }
        return { revision: change.revision }
      }
    },
  ),
  broken(
    'append reads, waits and writes what it read',
    ['race-append', 'race-log', 'race-adds'],
    class extends PlainDriver {
      override async append(id: string, change: Append, expected: Version) {
        const cell = this.find(id)
        if (!cell || !this.matches(cell, expected)) return false
        const entries = this.joined(cell, change)
        await tick()
        this.put(id, { ...change, entries }, cell)
        return { revision: change.revision }
      }
    },
  ),
]

const Stale = new WeakMap<Map<string, Cell>, Map<string, string>>()
