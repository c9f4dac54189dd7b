import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentSessionSnapshot } from '../contracts/agent-session-store.ts'
import type { JsonObject } from '../contracts/item.ts'
import { HoldfastError, wrong } from '../errors.ts'
import { utf8Length } from '../ids.ts'
import { cloneJson, isRecord, jsonText, WRAPPED_DEPTH } from '../json.ts'
import { stateOf } from '../memory/memory-state.ts'
import { eventTexts } from './event-history.ts'

const MAX_ATTRIBUTES_BYTES = 10_240

/** The JSON text of attributes that a store takes. `what` names them; `INVALID_ARGUMENT`, `NOT_SERIALIZABLE`, `TOO_LARGE`. */
export function attributesText(attributes: unknown, what: string): string {
  if (!isRecord(attributes)) throw wrong(what, 'an object', attributes)
  const text = jsonText(attributes, what)
  if (utf8Length(text) <= MAX_ATTRIBUTES_BYTES) return text
  throw new HoldfastError(
    'TOO_LARGE',
    `${what} take more than ${MAX_ATTRIBUTES_BYTES} bytes; keep large values elsewhere.`,
    { outcome: 'not-committed' },
  )
}

/** Attributes as they are kept: JSON of the session's own. */
export const checkAttributes = (attributes: unknown): JsonObject =>
  JSON.parse(attributesText(attributes, 'attributes'))

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
