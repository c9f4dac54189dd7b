import type { AgentItem, AgentSessionSnapshot } from '@holdfast/core'
import { HoldfastError } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

/** What the events say that memory holds, where they are inputs alone. */
const folded = ({ events }: AgentSessionSnapshot) => ({
  items: events.flatMap(({ payload }) => (payload['items'] as AgentItem[] | undefined) ?? []),
})

export const brokenSavings = [
  broken(
    'loading what was never saved throws',
    'unknown-id',
    class extends PlainStore {
      override async load(id: string) {
        if (!this.find(id)) throw new HoldfastError('NOT_FOUND', 'no such session')
        return super.load(id)
      }
    },
  ),
  broken(
    'deleting answers true whatever was there',
    'unknown-id',
    class extends PlainStore {
      override async delete(id: string) {
        await super.delete(id)
        return true
      }
    },
  ),
  broken(
    'attributes are not stored',
    'round-trip',
    class extends PlainStore {
      override keep(snapshot: AgentSessionSnapshot) {
        const kept = super.keep(snapshot)
        return { ...kept, metadata: { ...kept.metadata, attributes: {} } }
      }
    },
  ),
  broken(
    'a session without events counts as absent',
    'empty-session',
    class extends PlainStore {
      override async load(id: string) {
        const found = await super.load(id)
        return found?.events.length ? found : undefined
      }
    },
  ),
  broken(
    'the revision is the number of the last event',
    'revisions',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        super.put(snapshot, before)
        const revision = String(snapshot.events.at(-1)?.sequence ?? 0)
        const row = this.find(snapshot.id)
        if (row) row.revision = revision
        return { revision }
      }
    },
  ),
  broken(
    'a loaded session carries no revision',
    'revisions',
    class extends PlainStore {
      override answer(row: Row) {
        const { revision: _, ...rest } = super.answer(row)
        return rest
      }
    },
  ),
  broken(
    'saving adds all events behind those stored',
    'save-again',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const events = [...(before?.snapshot.events ?? []), ...snapshot.events]
        return super.put({ ...snapshot, events }, before)
      }
      override continues() {
        return true
      }
    },
  ),
  broken(
    'what is new begins one event too early',
    'one-writer',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const stored = before?.snapshot.events ?? []
        const last = stored.at(-1)?.sequence ?? 0
        const added = snapshot.events.filter(({ sequence }) => sequence >= last)
        return super.put({ ...snapshot, events: [...stored, ...added] }, before)
      }
      override continues() {
        return true
      }
    },
  ),
  broken(
    'what is new is counted by each process from what it wrote itself',
    'resume-each-turn',
    class extends PlainStore {
      readonly #written = new Map<string, number>()
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const { id, events } = snapshot
        const from = this.#written.get(id) ?? 0
        this.#written.set(id, events.length)
        const stored = before?.snapshot.events ?? []
        return super.put({ ...snapshot, events: [...stored, ...events.slice(from)] }, before)
      }
      override continues() {
        return true
      }
    },
  ),
  broken(
    'a process answers what it loaded before',
    'resume-each-turn',
    class extends PlainStore {
      readonly #loaded = new Map<string, AgentSessionSnapshot>()
      override async load(id: string) {
        const found = this.#loaded.get(id) ?? (await super.load(id))
        if (found) this.#loaded.set(id, found)
        return found
      }
    },
  ),
  broken(
    'memory is made of the events, whatever was saved',
    'memory-of-its-own',
    class extends PlainStore {
      override answer(row: Row) {
        const found = super.answer(row)
        return { ...found, memory: { ...found.memory, ...folded(found) } }
      }
    },
  ),
  broken(
    'a memory of its own is dropped once events are added',
    'memory-behind-events',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const grows = before && snapshot.events.length > before.snapshot.events.length
        return super.put(grows ? { ...snapshot, memory: folded(snapshot) } : snapshot, before)
      }
    },
  ),
  broken(
    'a blank summary is left out',
    'summary',
    class extends PlainStore {
      override keep(snapshot: AgentSessionSnapshot) {
        const kept = super.keep(snapshot)
        if (kept.memory.summary?.trim()) return kept
        return { ...kept, memory: { items: kept.memory.items } }
      }
    },
  ),
  broken(
    'a summary stays until another one comes',
    'summary',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const summary = snapshot.memory.summary ?? before?.snapshot.memory.summary
        return super.put({ ...snapshot, memory: { ...snapshot.memory, summary } }, before)
      }
    },
  ),
  broken(
    'the compact result is not stored',
    'compact-result',
    class extends PlainStore {
      override keep(snapshot: AgentSessionSnapshot) {
        const { compact: _, ...kept } = super.keep(snapshot)
        return kept
      }
    },
  ),
  broken(
    'a compact result stays until another one comes',
    'compact-result',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const compact = snapshot.compact ?? before?.snapshot.compact
        return super.put({ ...snapshot, ...(compact && { compact }) }, before)
      }
    },
  ),
  broken(
    'attributes are merged into those stored',
    'attributes-replaced',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const old = before?.snapshot.metadata.attributes
        const attributes = { ...old, ...snapshot.metadata.attributes }
        return super.put({ ...snapshot, metadata: { ...snapshot.metadata, attributes } }, before)
      }
    },
  ),
]
