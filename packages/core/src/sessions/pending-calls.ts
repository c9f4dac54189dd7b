import type { CallState, PendingCall } from '../contracts/agent-runtime.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem, JsonObject, JsonValue } from '../contracts/item.ts'
import { isRecord } from '../json.ts'
import { isFunctionCall, openCalls } from '../memory/call-items.ts'
import { itemsOf } from './session-event-projector.ts'

/** A call that no event speaks of: the process ended before one was saved. */
const UNHEARD: CallState = { state: 'unknown', approved: false, replies: [] }

/**
 * How far the calls without an output have come, by call id, as far as the events speak of them. An id that is
 * freed may be used again, and a log may have lost its end: what was said to one call must never let another
 * run, nor one that may have run already.
 */
export function callStates(events: readonly AgentEvent[]): ReadonlyMap<string, CallState> {
  const states = new Map<string, CallState>()
  let texts = new Map<string, string>()
  for (const { type, payload } of events) {
    if (type === 'MEMORY_ITEMS_APPENDED') {
      for (const [callId, text] of callTexts(payload)) {
        states.delete(callId)
        texts.set(callId, text)
      }
    }
    if (type === 'SESSION_RESTORED') texts = restored(states, texts, payload)
    const { callId, answer } = payload
    if (typeof callId !== 'string') continue
    const before = states.get(callId) ?? UNHEARD
    if (type === 'TOOL_CALL') states.set(callId, started(before))
    if (type === 'INTERRUPTED') states.set(callId, interrupted(before, payload))
    if (type === 'ANSWERED' && runs(answer)) states.set(callId, answered(before, answer))
    // An answer that could not be saved is taken back.
    if (type === 'ANSWERED' && answer === null) states.set(callId, payload['state'] as never)
    if (type === 'TOOL_RESULT') states.delete(callId)
  }
  return states
}

const callTexts = (payload: JsonObject): [string, string][] =>
  itemsOf(payload)
    .filter(isFunctionCall)
    .map((item) => [String(item['call_id']), JSON.stringify(item)])

/**
 * Where memory and log differ, something happened that no event tells of. A call that waits goes on waiting if
 * it is still the same; that one may run is not known any more. A fork's calls are not those of its source.
 */
function restored(
  states: Map<string, CallState>,
  texts: Map<string, string>,
  payload: JsonObject,
): Map<string, string> {
  const { items, calls, reason } = payload
  const now = new Map(items ? callTexts(payload) : texts)
  for (const [callId, { state }] of states) {
    const same = now.get(callId) === texts.get(callId)
    const mayRun = state === 'answered' && (items || reason === 'fork')
    if (!same || mayRun) states.delete(callId)
  }
  // What a trimmed log knew.
  for (const [callId, state] of Object.entries((calls ?? {}) as object)) states.set(callId, state)
  return now
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
