import type { AgentEvent, AgentSessionSnapshot } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row, tick } from './plain-store.ts'

export const brokenDetachments = [
  broken(
    'what was saved is kept as it was handed over',
    'input-copied',
    class extends PlainStore {
      override keep({ revision: _, ...snapshot }: AgentSessionSnapshot) {
        return snapshot
      }
    },
  ),
  broken(
    'a snapshot is copied later than at the call',
    'input-copied',
    class extends PlainStore {
      override async save(snapshot: AgentSessionSnapshot) {
        await tick()
        return super.save(snapshot)
      }
    },
  ),
  broken(
    'load answers what is stored, not a copy',
    'output-detached',
    class extends PlainStore {
      override answer({ snapshot, revision }: Row) {
        return { ...snapshot, revision }
      }
    },
  ),
  broken(
    'a listing answers the stored metadata, not a copy',
    'listing-detached',
    class extends PlainStore {
      override summary({ id, snapshot }: Row) {
        return { id, metadata: snapshot.metadata }
      }
    },
  ),
  broken(
    'saving writes the new revision into what it was given',
    'input-untouched',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const made = super.put(snapshot, before)
        Object.assign(snapshot, made)
        return made
      }
    },
  ),
  broken(
    'saving sorts the events that it was given',
    'input-untouched',
    class extends PlainStore {
      override keep(snapshot: AgentSessionSnapshot) {
        const events = snapshot.events as AgentEvent[]
        events.sort((a, b) => a.sequence - b.sequence)
        return super.keep(snapshot)
      }
    },
  ),
]
