import type { AgentEvent, AgentSessionSnapshot } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

export const brokenConflicts = [
  broken(
    'a session without a revision is saved over an existing one',
    'create-once',
    class extends PlainStore {
      override matches(row: Row | undefined, snapshot: AgentSessionSnapshot) {
        return snapshot.revision === undefined || super.matches(row, snapshot)
      }
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        return super.continues(stored, next) || next.length < stored.length
      }
    },
  ),
  broken(
    'the last writer wins',
    'stale-revision',
    class extends PlainStore {
      override matches(row: Row | undefined, { revision }: AgentSessionSnapshot) {
        return (row === undefined) === (revision === undefined)
      }
    },
  ),
  broken(
    'a stale save is refused behind the write',
    'stale-revision',
    class extends PlainStore {
      override async save(snapshot: AgentSessionSnapshot) {
        const row = this.find(snapshot.id)
        const stale = row && snapshot.revision && !this.matches(row, snapshot)
        if (stale)
          this.world.rows.set(this.keyOf(row.id), { ...row, snapshot: this.keep(snapshot) })
        return super.save(snapshot)
      }
    },
  ),
  broken(
    'revisions are compared by how they begin',
    'foreign-revision',
    class extends PlainStore {
      override matches(row: Row | undefined, { revision }: AgentSessionSnapshot) {
        if (!row || revision === undefined) return row?.revision === revision
        return row.revision.startsWith(revision.slice(0, 8))
      }
    },
  ),
  broken(
    'a revision of any session will do',
    'foreign-revision',
    class extends PlainStore {
      override matches(row: Row | undefined, snapshot: AgentSessionSnapshot) {
        if (super.matches(row, snapshot)) return true
        return (
          !!row && [...this.world.rows.values()].some((it) => it.revision === snapshot.revision)
        )
      }
    },
  ),
  broken(
    'a session with a revision is created where nothing is stored',
    'revision-of-nothing',
    class extends PlainStore {
      override matches(row: Row | undefined, snapshot: AgentSessionSnapshot) {
        return row === undefined || super.matches(row, snapshot)
      }
    },
  ),
  broken(
    'of the stored events only the numbers are compared',
    'edited-events',
    class extends PlainStore {
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        const bare = ({ sequence, type }: AgentEvent) => ({ sequence, type, at: 0, payload: {} })
        return super.continues(stored.map(bare), next.map(bare))
      }
    },
  ),
  broken(
    'of the stored events only the last one is compared',
    'edited-events',
    class extends PlainStore {
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        return super.continues(stored.slice(-1), next.slice(Math.max(0, stored.length - 1)))
      }
    },
  ),
  broken(
    'events that are missing are not looked for',
    'missing-events',
    class extends PlainStore {
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        const given = new Set(next.map(({ sequence }) => sequence))
        const both = stored.filter(({ sequence }) => given.has(sequence))
        return next.length === 0 || super.continues(both, next)
      }
    },
  ),
  broken(
    'a trimmed log is taken for another one',
    'trimmed-front',
    class extends PlainStore {
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        return super.continues(stored, next) && stored[0]?.sequence === next[0]?.sequence
      }
    },
  ),
  broken(
    'what was trimmed stays in front of the baseline',
    'trimmed-front',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const first = snapshot.events[0]?.sequence ?? 0
        const old = (before?.snapshot.events ?? []).filter(({ sequence }) => sequence < first)
        return super.put({ ...snapshot, events: [...old, ...snapshot.events] }, before)
      }
    },
  ),
  broken(
    'behind a baseline anything goes',
    'trimmed-and-edited',
    class extends PlainStore {
      override continues(stored: readonly AgentEvent[], next: readonly AgentEvent[]) {
        return next[0]?.type === 'SESSION_RESTORED' || super.continues(stored, next)
      }
    },
  ),
]
