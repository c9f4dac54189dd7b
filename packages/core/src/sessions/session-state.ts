import type { AgentSessionSnapshot, SessionMetadata } from '../contracts/agent-session-store.ts'
import type { AgentEvent } from '../contracts/events.ts'
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
export function sessionStateOf(snapshot: AgentSessionSnapshot): SessionState {
  if (!isRecord(snapshot)) throw wrong('A session snapshot', 'an object', snapshot)
  const { id, metadata, memory, events, compact, revision } = snapshot as Record<string, unknown>
  if (compact !== undefined && !isRecord(compact)) throw wrong('compact', 'an object', compact)
  if (revision !== undefined && typeof revision !== 'string') {
    throw wrong('revision', 'a string', revision)
  }
  return {
    id: checkId(id, 'A session id'),
    revision,
    metadata: metadataText(metadata),
    memory: stateOf(memory, 'memory'),
    events: eventTexts(events),
    compact: compact && jsonText(compact, 'compact', WRAPPED_DEPTH),
  }
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
export function sessionFoldOf(events: AgentSessionSnapshot['events']): SessionFold {
  const { items, summary } = foldEvents(events)
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
    throw conflict(next.revision === undefined ? 'exists already' : 'was saved by another writer')
  }
  const how = continuation(stored?.events ?? [], next.events)
  if (!how) throw conflict('has other events in store than those of the snapshot')
  return how
}
