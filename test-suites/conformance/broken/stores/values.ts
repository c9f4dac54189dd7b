import type { AgentEvent, AgentSessionSnapshot, SessionMetadata } from '@holdfast/core'
import { broken } from './broken-store.ts'
import { PlainStore, type Row } from './plain-store.ts'

/** `value` with every text in it, keys too, changed by `change`. */
function texts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((it) => texts(it, change))
  if (typeof value !== 'object' || value === null) return value
  const changed = Object.entries(value).map(([key, it]) => [change(key), texts(it, change)])
  return Object.fromEntries(changed)
}

/** A store that changes the texts of one part of a session. */
const changing = (
  part: 'metadata' | 'events' | 'memory',
  change: (text: string) => string,
): typeof PlainStore =>
  class extends PlainStore {
    override keep(snapshot: AgentSessionSnapshot) {
      const kept = super.keep(snapshot)
      return { ...kept, [part]: texts(kept[part], change) }
    }
  }

/** A store that keeps another form of the metadata. */
const metadata = (change: (metadata: SessionMetadata) => unknown): typeof PlainStore =>
  class extends PlainStore {
    override answer(row: Row) {
      const found = super.answer(row)
      return { ...found, metadata: change(found.metadata) as SessionMetadata }
    }
  }

/** A store that keeps another form of the events. */
const events = (change: (events: readonly AgentEvent[]) => readonly unknown[]): typeof PlainStore =>
  class extends PlainStore {
    override answer(row: Row) {
      const found = super.answer(row)
      return { ...found, events: change(found.events) as readonly AgentEvent[] }
    }
  }

export const brokenValues = [
  broken(
    'texts that look like dates come back as dates',
    'keeps-numbers-and-dates',
    metadata((it) => ({
      ...it,
      attributes: Object.fromEntries(
        Object.entries(it.attributes).map(([key, value]) => [
          key,
          typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value) : value,
        ]),
      ),
    })),
  ),
  broken(
    'times are kept in whole seconds',
    'keeps-numbers-and-dates',
    metadata((it) => ({ ...it, createdAt: Math.floor(it.createdAt / 1_000) * 1_000 })),
  ),
  broken(
    'texts of digits come back as numbers',
    'keeps-numbers-and-dates',
    metadata((it) => ({
      ...it,
      attributes: Object.fromEntries(
        Object.entries(it.attributes).map(([key, value]) => [
          key,
          typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
        ]),
      ),
    })),
  ),
  broken(
    'U+0000 is taken out of attributes',
    'keeps-hostile-attributes',
    changing('metadata', (text) => text.replaceAll('\u0000', '')),
  ),
  broken(
    'lone surrogates in attributes become U+FFFD',
    'keeps-hostile-attributes',
    changing('metadata', (text) => Buffer.from(text).toString()),
  ),
  broken(
    'values are copied key by key, by assignment',
    'keeps-prototype-keys',
    class extends PlainStore {
      override copy<T>(value: T): T {
        if (typeof value !== 'object' || value === null) return value
        if (Array.isArray(value)) return value.map((it) => this.copy(it)) as T
        const copied: Record<string, unknown> = {}
        for (const [key, child] of Object.entries(value)) {
          if (child !== undefined) copied[key] = this.copy(child as unknown)
        }
        return copied as T
      }
    },
  ),
  broken(
    'line feeds in events are made one kind',
    'keeps-hostile-texts',
    changing('events', (text) => text.replace(/\r\n/g, '\n')),
  ),
  broken(
    'a summary is trimmed',
    'keeps-hostile-texts',
    class extends PlainStore {
      override keep(snapshot: AgentSessionSnapshot) {
        const kept = super.keep(snapshot)
        const { items, summary } = kept.memory
        if (!summary?.trim()) return kept
        return { ...kept, memory: { items, summary: summary.trim() } }
      }
    },
  ),
  broken(
    'what an event does not say comes back as null',
    'keeps-events',
    events((all) => all.map((it) => ({ ...it, runId: it.runId ?? null, step: it.step ?? null }))),
  ),
  broken(
    'events are numbered anew',
    'keeps-events',
    events((all) => all.map((it, index) => ({ ...it, sequence: index + 1 }))),
  ),
  broken(
    'events are ordered by their time',
    'keeps-events',
    events((all) => [...all].sort((a, b) => a.at - b.at)),
  ),
  broken(
    'events are ordered by their number as text',
    'keeps-order',
    events((all) => [...all].sort((a, b) => (String(a.sequence) < String(b.sequence) ? -1 : 1))),
  ),
  broken(
    'loading reads the first 1,000 events',
    'keeps-order',
    events((all) => all.slice(0, 1_000)),
  ),
  broken(
    'a long text is cut',
    'keeps-5-megabytes',
    changing('events', (text) => text.slice(0, 4_000_000)),
  ),
]
