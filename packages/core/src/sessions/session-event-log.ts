import type { RunPlace } from '../contracts/agent-runtime.ts'
import type { AgentEvent, AgentEventType } from '../contracts/events.ts'
import type { JsonObject } from '../contracts/item.ts'
import { toJson, WRAPPED_DEPTH } from '../json.ts'

/** The events of one session in order. Each is frozen: what was recorded stays as it is. */
export class SessionEventLog {
  #events: AgentEvent[] = []
  #last = 0

  /** @internal */
  constructor(events: readonly AgentEvent[] = []) {
    this.takeOver(events)
  }

  /** Ascending by sequence; a list of its own, of the log's frozen events. */
  get events(): readonly AgentEvent[] {
    return [...this.#events]
  }

  /** The sequence number of the newest event; 0 where there was none yet. */
  get lastSequence(): number {
    return this.#last
  }

  /** When the newest event was recorded, in epoch ms; 0 where there was none yet. */
  get lastAt(): number {
    return this.#events.at(-1)?.at ?? 0
  }

  /** @internal */
  append(type: AgentEventType, payload: JsonObject, { runId, step }: RunPlace): AgentEvent {
    const place = { ...(runId !== undefined && { runId }), ...(step !== undefined && { step }) }
    // Shallower than what a store takes: an event must never be what keeps a session from being saved.
    const made = toJson(payload, WRAPPED_DEPTH - 10) as JsonObject
    const event = { sequence: ++this.#last, type, at: Date.now(), ...place, payload: made }
    this.#events.push(freeze(event))
    return event
  }

  /** @internal An empty log goes on from the events of another. */
  takeOver(events: readonly AgentEvent[]): void {
    this.#events = events.map((event) => freeze(toJson(event) as unknown as AgentEvent))
    this.#last = events.at(-1)?.sequence ?? 0
  }

  /** @internal Puts `baseline` in the place of every event up to its sequence number. */
  trim(baseline: AgentEvent): void {
    const rest = this.#events.filter(({ sequence }) => sequence > baseline.sequence)
    this.#events = [freeze(toJson(baseline) as unknown as AgentEvent), ...rest]
  }
}

function freeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null) freeze(child)
  }
  return Object.freeze(value)
}
