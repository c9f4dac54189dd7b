import type { StoredSession, Version } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver, tick } from './plain-driver.ts'

export const brokenDeletions = [
  broken(
    'delete answers true and keeps the session',
    'delete-current',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        return this.matches(this.find(id), expected)
      }
    },
  ),
  broken(
    'delete does not ask for the version',
    ['delete-stale', 'delete-recreate', 'race-mixed'],
    class extends PlainDriver {
      override async delete(id: string) {
        return this.cells.delete(id)
      }
    },
  ),
  broken(
    'delete compares revisions without case',
    'delete-revision-exact',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        const cell = this.find(id)
        const same = cell?.revision.toLowerCase() === expected.revision.toLowerCase()
        return super.delete(id, cell && same ? cell : expected)
      }
    },
  ),
  broken(
    'delete is always true',
    'delete-absent',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        const there = this.find(id) !== undefined
        return (await super.delete(id, expected)) || !there
      }
    },
  ),
  broken(
    'a deleted version can still be written to',
    'delete-late-write',
    class extends PlainDriver {
      readonly #gone = new Set<string>()
      override async delete(id: string, expected: Version) {
        const gone = await super.delete(id, expected)
        if (gone) this.#gone.add(expected.revision)
        return gone
      }
      override matches(cell: Cell | undefined, expected: Version | null) {
        return (
          (!cell && expected !== null && this.#gone.has(expected.revision)) ||
          super.matches(cell, expected)
        )
      }
    },
  ),
  broken(
    'versions are counted from 1 again after a deletion',
    'delete-recreate',
    class extends PlainDriver {
      override matches(cell: Cell | undefined, expected: Version | null) {
        if (!cell || !expected) return super.matches(cell, expected)
        return (
          Counts.get(cell) === (expected.token ?? Counts.get(cell)) && this.#known(cell, expected)
        )
      }
      #known(cell: Cell, expected: Version) {
        return expected.token !== undefined || cell.revision === expected.revision
      }
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const count = (Counts.get(this.find(id) as Cell) ?? 0) + 1
        const version = await super.replace(id, next, expected)
        const cell = this.find(id)
        if (!version || !cell) return false
        Counts.set(cell, count)
        return { ...version, token: count }
      }
    },
  ),
  broken(
    'the entries of a deleted session come back with the next one',
    'delete-complete',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        const entries = this.find(id)?.entries ?? []
        const gone = await super.delete(id, expected)
        if (gone) Left.set(id, entries)
        return gone
      }
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        const left = Left.get(id)?.slice(next.entries.length) ?? []
        Left.delete(id)
        super.put(id, { ...next, entries: [...next.entries, ...left] }, before)
      }
    },
  ),
  broken(
    'a deletion takes every id that begins so',
    'delete-neighbours',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        const gone = await super.delete(id, expected)
        if (gone)
          for (const key of [...this.cells.keys()]) if (key.startsWith(id)) this.cells.delete(key)
        return gone
      }
    },
  ),
  broken(
    'delete checks, waits and deletes',
    'race-mixed',
    class extends PlainDriver {
      override async delete(id: string, expected: Version) {
        if (!this.matches(this.find(id), expected)) return false
        await tick()
        return this.cells.delete(id)
      }
    },
  ),
]

const Counts = new WeakMap<Cell, number>()
const Left = new Map<string, string[]>()
