import type { CallState, PendingCall } from '../contracts/agent-runtime.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem, JsonObject, JsonValue } from '../contracts/item.ts'
import { isRecord } from '../json.ts'
import { openCalls } from '../memory/call-items.ts'

/** A call that no event speaks of: the process ended before one was saved. */
const UNHEARD: CallState = { state: 'unknown', approved: false, replies: [] }

/** How far the calls have come that the events speak of, by call id. Only what has no output yet matters. */
export function callStates(events: readonly AgentEvent[]): ReadonlyMap<string, CallState> {
  const states = new Map<string, CallState>()
  for (const { type, payload } of events) {
    const { callId } = payload
    if (type === 'MEMORY_ITEMS_APPENDED') forget(states, payload['items'])
    if (type === 'SESSION_RESTORED' && isRecord(payload['calls'])) {
      for (const [id, state] of Object.entries(payload['calls'])) {
        states.set(id, state as unknown as CallState)
      }
    }
    if (typeof callId !== 'string') continue
    const before = states.get(callId) ?? UNHEARD
    if (type === 'TOOL_CALL') states.set(callId, started(before))
    if (type === 'INTERRUPTED') states.set(callId, interrupted(before, payload))
    if (type === 'ANSWERED') states.set(callId, answered(before, payload['answer']))
  }
  return states
}

/** An id that was freed (by an undo, say) may be used again: the new call begins anew. */
function forget(states: Map<string, CallState>, items: JsonValue | undefined): void {
  for (const item of items as readonly JsonObject[]) states.delete(String(item['call_id']))
}

const started = ({ approved, replies }: CallState): CallState => ({
  state: 'unknown',
  approved,
  replies,
})

function interrupted({ approved, replies }: CallState, { request }: JsonObject): CallState {
  return { state: 'waiting', approved, replies, ...(request !== undefined && { request }) }
}

/** Whatever lets a call run approves it: only a running one can have asked. */
function answered({ replies, request }: CallState, answer: JsonValue | undefined): CallState {
  const { reply, approve } = answer as JsonObject
  const said = reply !== undefined ? [reply] : approve && request !== undefined ? [true] : []
  return { state: 'answered', approved: true, replies: [...replies, ...said] }
}

export const stateOfCall = (states: ReadonlyMap<string, CallState>, callId: string): CallState =>
  states.get(callId) ?? UNHEARD

/** The calls among `items` that wait for somebody outside, in call order. */
export function pendingCalls(
  items: readonly AgentItem[],
  states: ReadonlyMap<string, CallState>,
): PendingCall[] {
  return openCalls(items).flatMap(({ callId, name, arguments: args }) => {
    const { state, request } = stateOfCall(states, callId)
    if (state === 'answered') return []
    return [{ callId, name, arguments: args, state, ...(request !== undefined && { request }) }]
  })
}
