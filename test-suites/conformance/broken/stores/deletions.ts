import type { AgentEvent, AgentSessionSnapshot } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

export const brokenDeletions = [
  broken(
    'a deleted session stays in the listings',
    'delete',
    class extends PlainStore {
      override async delete(id: string) {
        if (this.find(id)) this.world.extra.set(id, 'deleted')
        return super.delete(id)
      }
      override ids() {
        return this.order([...super.ids(), ...this.world.extra.keys()])
      }
    },
  ),
  broken(
    'a process goes on answering what it saved itself',
    'delete',
    class extends PlainStore {
      readonly #saved = new Map<string, Row>()
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const made = super.put(snapshot, before)
        const row = this.find(snapshot.id)
        if (row) this.#saved.set(row.id, row)
        return made
      }
      override async load(id: string) {
        const row = this.find(id) ?? this.#saved.get(id)
        return row && this.answer(row)
      }
    },
  ),
  broken(
    'delete takes every id that begins with it',
    'delete-exact',
    class extends PlainStore {
      override async delete(id: string) {
        for (const key of [...this.world.rows.keys()]) {
          if (key !== id && key.startsWith(id)) this.world.rows.delete(key)
        }
        return super.delete(id)
      }
    },
  ),
  broken(
    'delete takes every id that matches it as a pattern',
    'delete-exact',
    class extends PlainStore {
      override async delete(id: string) {
        if (!/[%_]/.test(id)) return super.delete(id)
        const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        const pattern = new RegExp(`^${escaped.replace(/%/g, '.*').replace(/_/g, '.')}$`)
        const found = [...this.world.rows.keys()].filter((key) => pattern.test(key))
        for (const key of found) this.world.rows.delete(key)
        return found.length > 0
      }
    },
  ),
  broken(
    'events outlive the deletion, and come back in the next session',
    'recreate',
    class extends PlainStore {
      override async delete(id: string) {
        const row = this.find(id)
        if (row) this.world.extra.set(id, row.snapshot.events)
        return super.delete(id)
      }
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        const old = (before ? [] : this.world.extra.get(snapshot.id)) as AgentEvent[] | undefined
        const behind = (old ?? []).slice(snapshot.events.length)
        return super.put({ ...snapshot, events: [...snapshot.events, ...behind] }, before)
      }
    },
  ),
  broken(
    'a deleted id can never be created anew',
    'recreate',
    class extends PlainStore {
      override async delete(id: string) {
        this.world.extra.set(id, 'deleted')
        return super.delete(id)
      }
      override matches(row: Row | undefined, snapshot: AgentSessionSnapshot) {
        return !this.world.extra.has(snapshot.id) && super.matches(row, snapshot)
      }
    },
  ),
  broken(
    'a save by the deleted revision brings the session back',
    'late-save',
    class extends PlainStore {
      override async delete(id: string) {
        this.world.extra.set(id, this.find(id)?.revision)
        return super.delete(id)
      }
      override matches(row: Row | undefined, snapshot: AgentSessionSnapshot) {
        const { id, revision } = snapshot
        const late = !row && revision !== undefined && this.world.extra.get(id) === revision
        return late || super.matches(row, snapshot)
      }
    },
  ),
  broken(
    'revisions are numbers that begin anew with the session',
    'late-save',
    class extends PlainStore {
      override put(snapshot: AgentSessionSnapshot, before: Row | undefined) {
        super.put(snapshot, before)
        const revision = String(Number(before?.revision ?? 0) + 1)
        const row = this.find(snapshot.id)
        if (row) row.revision = revision
        return { revision }
      }
    },
  ),
]
