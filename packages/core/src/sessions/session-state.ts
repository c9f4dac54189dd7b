import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentSessionSnapshot, SessionMetadata } from '../contracts/agent-session-store.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, show, wrong } from '../errors.ts'
import { checkId } from '../ids.ts'
import { isRecord, jsonText, WRAPPED_DEPTH } from '../json.ts'
import { type MemoryState, snapshotOf, stateOf } from '../memory/memory-state.ts'
import { continuation, eventTexts, textOf } from './event-history.ts'
import { foldCompact, foldEvents } from './session-event-projector.ts'
import { attributesText } from './session-input.ts'

/** A session's snapshot as a store keeps it: texts can be neither aliased nor changed by whoever holds them. */
export interface SessionState {
  readonly id: string
  /** The stored state that it was loaded from. */
  readonly revision: string | undefined
  /** `[createdAt, updatedAt, attributes]` */
  readonly metadata: string
  readonly memory: MemoryState
  readonly events: readonly string[]
  readonly compact: string | undefined
}

/** What the events alone tell of a session's memory and of its last compaction. */
export interface SessionFold {
  readonly memory: MemoryState
  readonly compact: string | undefined
}

/** The state that a user's snapshot describes, checked and detached: `INVALID_ARGUMENT`, `NOT_SERIALIZABLE`, `TOO_LARGE`. */
export const sessionStateOf = (snapshot: AgentSessionSnapshot): SessionState =>
  sessionSaveOf(snapshot).next

/** The same, and the fold of its events. */
export function sessionSaveOf(snapshot: AgentSessionSnapshot): {
  readonly next: SessionState
  readonly fold: SessionFold
} {
  if (!isRecord(snapshot)) throw wrong('A session snapshot', 'an object', snapshot)
  const { id, metadata, memory, events, compact, revision } = snapshot as Record<string, unknown>
  if (compact !== undefined && !isRecord(compact)) throw wrong('compact', 'an object', compact)
  if (revision !== undefined && typeof revision !== 'string') {
    throw wrong('revision', 'a string', revision)
  }
  const texts = eventTexts(events)
  const folded = foldEvents(events as AgentEvent[])
  const next = {
    id: checkId(id, 'A session id'),
    revision,
    metadata: metadataText(metadata),
    memory: memoryStateOf(memory, folded.items),
    events: texts,
    compact: compact && jsonText(compact, 'compact', WRAPPED_DEPTH),
  }
  return { next, fold: foldOf(events as AgentEvent[], folded) }
}

/** As `stateOf`, which checks every item again; that is spared where memory is the fold, or the fold's end. */
function memoryStateOf(memory: unknown, fold: readonly AgentItem[]): MemoryState {
  const items: unknown = isRecord(memory) && memory['items']
  if (Array.isArray(items)) {
    const ends = [fold.slice(0, items.length), items.length > 0 ? fold.slice(-items.length) : []]
    const known = ends.find((end) => isSame(items, end))
    if (known) {
      const { summary } = stateOf({ ...(memory as object), items: [] }, 'memory')
      return { items: known.map((item) => textOf(item)), summary }
    }
  }
  return stateOf(memory, 'memory')
}

/** True where `value` has the JSON text of `json`, its keys in that order, too. */
function isSame(value: unknown, json: unknown): boolean {
  if (value === json) return true
  if (!(value instanceof Object && json instanceof Object)) return false
  // What only looks like it, as an instance of a class may, is for `jsonText` to judge.
  if (Object.getPrototypeOf(value) !== Object.getPrototypeOf(json)) return false
  const [keys, others] = [Reflect.ownKeys(value), Reflect.ownKeys(json)]
  return (
    keys.length === others.length &&
    keys.every(
      (key, at) => key === others[at] && isSame(Reflect.get(value, key), Reflect.get(json, key)),
    )
  )
}

function metadataText(metadata: unknown): string {
  if (!isRecord(metadata)) throw wrong('metadata', 'an object', metadata)
  const { createdAt, updatedAt, attributes } = metadata
  if (!Number.isFinite(createdAt)) throw wrong('metadata.createdAt', 'epoch ms', createdAt)
  if (!Number.isFinite(updatedAt)) throw wrong('metadata.updatedAt', 'epoch ms', updatedAt)
  return `[${createdAt},${updatedAt},${attributesText(attributes, 'metadata.attributes')}]`
}

/** Of a text that `sessionStateOf` made; throws for any other. */
export function metadataOf(text: string): SessionMetadata {
  const value: unknown = JSON.parse(text)
  const [createdAt, updatedAt, attributes] = Array.isArray(value) ? value : []
  if (!Number.isFinite(createdAt) || !Number.isFinite(updatedAt) || !isRecord(attributes)) {
    throw new Error('it is no metadata of a session')
  }
  return { createdAt, updatedAt, attributes: attributes as SessionMetadata['attributes'] }
}

/** A detached snapshot of what is stored; of the events, where they were read already. */
export function sessionSnapshotOf(
  { id, metadata, memory, events, compact }: SessionState,
  revision: string,
  read = events.map((text) => JSON.parse(text) as AgentEvent),
): AgentSessionSnapshot {
  return {
    id,
    metadata: metadataOf(metadata),
    memory: snapshotOf(memory),
    events: read,
    ...(compact !== undefined && { compact: JSON.parse(compact) }),
    revision,
  }
}

/** The fold of a snapshot's events, as texts. */
export const sessionFoldOf = (events: AgentSessionSnapshot['events']): SessionFold =>
  foldOf(events, foldEvents(events))

function foldOf(
  events: AgentSessionSnapshot['events'],
  { items, summary }: MemorySnapshot,
): SessionFold {
  const compact = foldCompact(events)
  return {
    memory: { items: items.map((item) => textOf(item)), summary },
    compact: compact && JSON.stringify(compact),
  }
}

/**
 * Whether `next` may take the place of what is `stored`, and how; `CONFLICT` if it may not: its revision is
 * not the current one, or its earlier events are not those stored.
 */
export function checkSave(
  next: SessionState,
  stored: Pick<SessionState, 'revision' | 'events'> | undefined,
): 'added' | 'trimmed' {
  const conflict = (what: string) =>
    new HoldfastError('CONFLICT', `Session ${show(next.id)} ${what}; load it again.`, {
      outcome: 'not-committed',
    })
  if (next.revision !== stored?.revision) {
    if (!stored) throw conflict('was deleted or never stored')
    throw conflict(
      next.revision === undefined
        ? 'exists already, perhaps begun by another process'
        : 'was saved by another process',
    )
  }
  const how = continuation(stored?.events ?? [], next.events)
  if (!how) throw conflict('has other events in store than those of the snapshot')
  return how
}
