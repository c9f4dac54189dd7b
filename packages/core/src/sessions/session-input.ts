import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentSessionSnapshot } from '../contracts/agent-session-store.ts'
import type { JsonObject } from '../contracts/item.ts'
import { wrong } from '../errors.ts'
import { cloneJson, isRecord, WRAPPED_DEPTH } from '../json.ts'
import { stateOf } from '../memory/memory-state.ts'
import { eventTexts } from './event-history.ts'

/** Attributes as they are kept: JSON of the session's own. */
export function checkAttributes(attributes: unknown): JsonObject {
  if (!isRecord(attributes)) throw wrong('attributes', 'an object', attributes)
  return cloneJson(attributes as JsonObject, 'attributes')
}

type Restored = Pick<AgentSessionSnapshot, 'memory' | 'events' | 'compact'>

/** A copy of what counts of a session's snapshot or a memory's, checked before anything is overwritten. */
export function checkRestored(snapshot: AgentSessionSnapshot | MemorySnapshot): Restored {
  if (!isRecord(snapshot)) throw wrong('snapshot', 'a snapshot of a session or a memory', snapshot)
  const record = 'memory' in snapshot ? snapshot : { memory: snapshot }
  const { memory, events = [], compact } = record as Restored
  stateOf(memory, 'snapshot')
  eventTexts(events)
  if (compact !== undefined && !isRecord(compact)) throw wrong('compact', 'an object', compact)
  return cloneJson({ memory, events, ...(compact && { compact }) }, 'snapshot', WRAPPED_DEPTH)
}
