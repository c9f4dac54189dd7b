import type { AgentSessionSnapshot } from '../contracts/agent-session-store.ts'
import type { AgentEvent } from '../contracts/events.ts'
import type { JsonObject } from '../contracts/item.ts'
import { invalid, show } from '../errors.ts'
import { toJson } from '../json.ts'
import { callStates } from './pending-calls.ts'
import { foldCompact, SessionEventProjector } from './session-event-projector.ts'

/** What `record` was when event `until` had happened; `INVALID_ARGUMENT` where its log does not reach there. */
export function recordUntil(
  { events, compact, ...rest }: AgentSessionSnapshot,
  until: number,
): AgentSessionSnapshot {
  const first = events[0]?.sequence ?? 1
  const last = events.at(-1)?.sequence ?? 0
  if (!Number.isSafeInteger(until) || until < first || until > last) {
    throw invalid(`until must be a sequence number from ${first} to ${last}, got ${show(until)}.`)
  }
  const kept = events.filter(({ sequence }) => sequence <= until)
  // That of a compaction which was yet to come is none of it.
  const result = foldCompact(kept) ?? (foldCompact(events) ? undefined : compact)
  const memory = SessionEventProjector.deriveSnapshot(kept)
  return { ...rest, memory, events: kept, ...(result && { compact: result }) }
}

/** The event that stands for `dropped` at the front of a trimmed log; none where nothing is dropped. */
export function baselineOf(dropped: readonly AgentEvent[]): AgentEvent | undefined {
  const last = dropped.at(-1)
  if (!last) return undefined
  const memory = SessionEventProjector.deriveSnapshot(dropped)
  const calls = Object.fromEntries(callStates(dropped))
  const payload = toJson({ reason: 'trim', ...memory, calls }) as JsonObject
  return { ...last, type: 'SESSION_RESTORED', payload }
}
