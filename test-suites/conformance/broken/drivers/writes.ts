import type { Append, StoredSession, Version } from '@holdfast/core'
import { broken } from './broken-driver.ts'
import { type Cell, PlainDriver } from './plain-driver.ts'

const matching = (
  name: string,
  killedBy: string | readonly string[],
  matches: (stored: string, expected: string) => boolean,
) =>
  broken(
    name,
    killedBy,
    class extends PlainDriver {
      override matches(cell: Cell | undefined, expected: Version | null) {
        return cell && expected
          ? matches(cell.revision, expected.revision)
          : super.matches(cell, expected)
      }
    },
  )

export const brokenWrites = [
  broken(
    'creating overwrites what is there',
    ['create-once', 'late-create'],
    class extends PlainDriver {
      override matches(cell: Cell | undefined, expected: Version | null) {
        return expected === null || super.matches(cell, expected)
      }
    },
  ),
  broken(
    'a list of the stored length is taken for the stored list',
    'replace-current',
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        const entries =
          before && before.entries.length === next.entries.length ? before.entries : next.entries
        super.put(id, { ...next, entries }, before)
      }
    },
  ),
  broken(
    'a version is good only if a write answered it',
    'replace-read-version',
    class extends PlainDriver {
      override matches(cell: Cell | undefined, expected: Version | null) {
        return expected?.token !== undefined && cell
          ? super.matches(cell, expected)
          : cell === undefined && expected === null
      }
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const version = await super.replace(id, next, expected)
        return version && { ...version, token: 1 }
      }
    },
  ),
  matching(
    'the condition is accepted and ignored',
    [
      ...[
        'replace-stale',
        'delete-stale',
        'append-stale',
        'race-replace',
        'race-counter',
        'race-append',
      ],
      ...['race-mixed', 'late-after-newer', 'late-after-delete', 'late-after-recreate'],
      ...['late-delete', 'late-clear', 'slow-read', 'slow-write', 'sessions-late-save'],
    ],
    () => true,
  ),
  broken(
    'replacing what is not there creates it',
    'replace-unknown',
    class extends PlainDriver {
      override matches(cell: Cell | undefined, expected: Version | null) {
        return cell === undefined || super.matches(cell, expected)
      }
    },
  ),
  broken(
    'the entries are written before the condition is checked',
    'replace-refused-whole',
    class extends PlainDriver {
      override async replace(id: string, next: StoredSession, expected: Version | null) {
        const cell = this.find(id)
        if (cell) cell.entries = [...next.entries]
        return super.replace(id, next, expected)
      }
    },
  ),
  matching(
    'revisions are compared by their beginning',
    'replace-revision-exact',
    (stored, expected) => stored.startsWith(expected),
  ),
  matching(
    'revisions are compared without case',
    'replace-revision-exact',
    (stored, expected) => stored.toLowerCase() === expected.toLowerCase(),
  ),
  matching(
    'revisions that look like numbers are compared as numbers',
    'replace-revision-exact',
    (stored, expected) => stored === expected || Number(stored) === Number(expected),
  ),
  broken(
    'a shorter list leaves the rest of the old one behind',
    'replace-shorter',
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        const rest = before?.entries.slice(next.entries.length) ?? []
        super.put(id, { ...next, entries: [...next.entries, ...rest] }, before)
      }
    },
  ),
  broken(
    'a state with the stored content is not written',
    'replace-same-content',
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        const same =
          before?.head === next.head &&
          JSON.stringify(before.entries) === JSON.stringify(next.entries)
        if (!same) super.put(id, next, before)
      }
    },
  ),
  broken(
    'replace keeps the old head',
    [
      ...[
        'replace-head',
        'lost-replace',
        'lost-clear',
        'lost-changes-across-commits',
        'lost-delete',
        'sessions-answer-lost',
      ],
      'false-after-commit',
    ],
    class extends PlainDriver {
      override put(id: string, next: StoredSession, before: Cell | undefined) {
        super.put(id, { ...next, head: before?.head ?? next.head }, before)
      }
    },
  ),
  broken(
    'sessions are told apart by a hash of their id that is too short',
    'neighbours',
    class extends PlainDriver {
      override keyOf(id: string) {
        return String(id.length % 7)
      }
    },
  ),
  broken(
    'every third write is answered and not made',
    'unsent-write',
    class extends PlainDriver {
      #writes = 0
      override async append(id: string, change: Append, expected: Version) {
        if (++this.#writes % 3 > 0) return super.append(id, change, expected)
        return this.matches(this.find(id), expected) ? { revision: change.revision } : false
      }
    },
  ),
]
