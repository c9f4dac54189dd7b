import type { StoredSession, Version } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver, tick } from './plain-driver.ts'

type ReadOptions = { readonly unless?: string; readonly skip?: number }

export const brokenReads = [
  broken(
    'an absent session reads as an empty one',
    'read-absent',
    class extends PlainDriver {
      override async read(id: string, options?: ReadOptions) {
        return (await super.read(id, options)) ?? { revision: '', head: '{}', entries: [] }
      }
    },
  ),
  broken(
    'equal entries are stored once',
    'read-back',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number): StoredSession {
        return { ...cell, entries: [...new Set(cell.entries)].slice(skip) }
      }
    },
  ),
  broken(
    'unless is ignored: every read is whole',
    'read-unless-current',
    class extends PlainDriver {
      override isUnchanged() {
        return false
      }
    },
  ),
  broken(
    "whatever unless is, the answer is 'unchanged'",
    ['read-unless-older', 'read-acknowledged'],
    class extends PlainDriver {
      override isUnchanged(_cell: Cell, unless: string | undefined) {
        return unless !== undefined
      }
    },
  ),
  broken(
    'unless is compared by its beginning',
    'read-unless-exact',
    class extends PlainDriver {
      override isUnchanged(cell: Cell, unless: string | undefined) {
        return unless !== undefined && cell.revision.startsWith(unless)
      }
    },
  ),
  broken(
    'skip is ignored',
    'read-skip',
    class extends PlainDriver {
      override answer(cell: Cell) {
        return super.answer(cell, 0)
      }
    },
  ),
  broken(
    'skip leaves out one too many',
    'read-skip',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number) {
        return super.answer(cell, skip > 0 ? skip + 1 : 0)
      }
    },
  ),
  broken(
    'skip above 3,000 is ignored',
    'read-skip-far',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number) {
        return super.answer(cell, skip > 3_000 ? 0 : skip)
      }
    },
  ),
  broken(
    'skip is forgotten when unless is given, too',
    'read-skip-changed',
    class extends PlainDriver {
      override read(id: string, options: ReadOptions = {}) {
        return super.read(id, options.unless === undefined ? options : { unless: options.unless })
      }
    },
  ),
  broken(
    'skip counts wrong from 3 to 8: only chance finds it',
    'random-calls',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number) {
        return super.answer(cell, skip >= 3 && skip <= 8 ? skip - 1 : skip)
      }
    },
  ),
  broken(
    'answers hand out the array that is stored',
    'read-detached',
    class extends PlainDriver {
      override answer(cell: Cell, skip: number): StoredSession {
        return skip > 0 ? super.answer(cell, skip) : cell
      }
    },
  ),
  broken(
    'the array that a caller passed is kept',
    'read-detached',
    class extends PlainDriver {
      override put(id: string, next: StoredSession) {
        this.cells.set(id, { id, ...next, entries: next.entries as string[] })
      }
    },
  ),
  broken(
    'each process reads from a cache that only its own writes renew',
    ['read-acknowledged', 'append-unless'],
    class extends PlainDriver {
      readonly #cache = new Map<string, Cell>()
      override async read(id: string, options: ReadOptions = {}) {
        const cell = this.#cache.get(id) ?? this.find(id)
        if (!cell) return null
        this.#cache.set(id, { ...cell })
        return this.isUnchanged(cell, options.unless)
          ? ('unchanged' as const)
          : this.answer(cell, options.skip ?? 0)
      }
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const answer = await super.replace(id, next, expected)
        if (answer) this.#cache.set(id, { id, ...next, entries: [...next.entries] })
        return answer
      }
    },
  ),
  broken(
    'the head is read first and the entries a moment later',
    'race-torn-read',
    class extends PlainDriver {
      override async read(id: string, options: ReadOptions = {}) {
        const cell = this.find(id)
        if (!cell) return null
        const { revision, head } = cell
        if (this.isUnchanged(cell, options.unless)) return 'unchanged' as const
        await tick()
        const { entries } = this.find(id) ?? { entries: [] }
        return { revision, head, entries: entries.slice(options.skip) }
      }
    },
  ),
  broken(
    'a process reads what it wrote itself: the others write to a primary that it never asks',
    ['unsent-read', 'read-acknowledged'],
    class extends PlainDriver {
      constructor() {
        super(new Map())
      }
    },
  ),
]
