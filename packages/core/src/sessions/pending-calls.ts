import type { CallState, PendingCall } from '../contracts/agent-runtime.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem, JsonObject, JsonValue } from '../contracts/item.ts'
import { isRecord } from '../json.ts'
import { openCalls } from '../memory/call-items.ts'
import { itemsOf } from './session-event-projector.ts'

/** A call that no event speaks of: the process ended before one was saved. */
const UNHEARD: CallState = { state: 'unknown', approved: false, replies: [] }

/**
 * How far the calls without an output have come, by call id, as far as the events speak of them. An id that is
 * freed may be used again: what was said to the old call must never let the new one run.
 */
export function callStates(events: readonly AgentEvent[]): ReadonlyMap<string, CallState> {
  const states = new Map<string, CallState>()
  for (const { type, payload } of events) {
    if (type === 'MEMORY_ITEMS_APPENDED') begun(states, payload)
    if (type === 'SESSION_RESTORED') restored(states, payload)
    const { callId, answer } = payload
    if (typeof callId !== 'string') continue
    const before = states.get(callId) ?? UNHEARD
    if (type === 'TOOL_CALL') states.set(callId, started(before))
    if (type === 'INTERRUPTED') states.set(callId, interrupted(before, payload))
    if (type === 'ANSWERED' && runs(answer)) states.set(callId, answered(before, answer))
    if (type === 'TOOL_RESULT') states.delete(callId)
  }
  return states
}

function begun(states: Map<string, CallState>, payload: JsonObject): void {
  for (const item of itemsOf(payload)) states.delete(String(item['call_id']))
}

function restored(states: Map<string, CallState>, payload: JsonObject): void {
  const { items, calls } = payload
  if (!items) return
  const open = new Set(openCalls(itemsOf(payload)).map(({ callId }) => callId))
  for (const callId of states.keys()) {
    if (!open.has(callId)) states.delete(callId)
  }
  // What a trimmed log knew.
  for (const [callId, state] of Object.entries((calls ?? {}) as object)) states.set(callId, state)
}

const runs = (answer: JsonValue | undefined): answer is JsonObject =>
  isRecord(answer) && !('reject' in answer) && !('output' in answer)

const started = ({ approved, replies }: CallState): CallState => ({
  state: 'unknown',
  approved,
  replies,
})

function interrupted({ approved, replies }: CallState, { request }: JsonObject): CallState {
  return { state: 'waiting', approved, replies, ...(request !== undefined && { request }) }
}

/** Whatever lets a call run approves it: only a running one can have asked. */
function answered({ replies, request }: CallState, { reply, approve }: JsonObject): CallState {
  const said = reply !== undefined ? [reply] : approve && request !== undefined ? [true] : []
  return { state: 'answered', approved: true, replies: [...replies, ...said] }
}

export const stateOfCall = (states: ReadonlyMap<string, CallState>, callId: string): CallState =>
  states.get(callId) ?? UNHEARD

/** The calls among `items` that wait for somebody outside, in call order. */
export function pendingCalls(
  items: readonly AgentItem[],
  stateOf: (callId: string) => CallState,
): PendingCall[] {
  return openCalls(items).flatMap(({ callId, name, arguments: args }) => {
    const { state, request } = stateOf(callId)
    if (state === 'answered') return []
    return [{ callId, name, arguments: args, state, ...(request !== undefined && { request }) }]
  })
}
