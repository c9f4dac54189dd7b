import type { RunPlace } from '../contracts/agent-runtime.ts'
import type { AgentEvent, AgentEventListener, AgentEventType } from '../contracts/events.ts'
import type { JsonObject } from '../contracts/item.ts'
import { HoldfastError, nameOf } from '../errors.ts'
import { toJson } from '../json.ts'
import type { Redaction } from './redaction.ts'
import type { SessionEventLog } from './session-event-log.ts'

/** Records events in a log and tells the listeners. Nothing that a listener does reaches the run. */
export class EventPublisher {
  readonly log: SessionEventLog
  readonly sessionId: string | undefined
  readonly redaction: Redaction
  readonly #listeners: Set<AgentEventListener>
  readonly #failed = new Set<AgentEventListener>()

  constructor(
    log: SessionEventLog,
    sessionId: string | undefined,
    redaction: Redaction,
    listeners: readonly AgentEventListener[] = [],
  ) {
    this.log = log
    this.sessionId = sessionId
    this.redaction = redaction
    this.#listeners = new Set(listeners)
  }

  /** Adds a listener; answers how to take it off. */
  listen(listener: AgentEventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Records what changes no memory, redacted. */
  publish(type: AgentEventType, payload: JsonObject, place: RunPlace = {}): void {
    let kept: JsonObject
    try {
      kept = this.redaction.apply(toJson(payload) as JsonObject, type)
    } catch (error) {
      // What could not be redacted may be a secret; that the event happened is none.
      const { callId } = payload
      kept = { ...(callId !== undefined && { callId }), redacted: nameOf(error) }
    }
    this.record(type, kept, place)
  }

  /** Records a payload that is redacted already. */
  record(type: AgentEventType, payload: JsonObject, place: RunPlace = {}): void {
    const event = this.log.append(type, payload, place)
    for (const listener of this.#listeners) this.#tell(listener, event)
  }

  /** Records a failure that breaks nothing. */
  failed(error: unknown, during: string, place: RunPlace = {}): void {
    const code = nameOf(error)
    const message = error instanceof HoldfastError ? error.message : code
    this.publish('ERROR', { code, message, during }, place)
  }

  #tell(listener: AgentEventListener, event: AgentEvent): void {
    const failed = (error: unknown) => {
      // Once for each, and to the log alone: telling others could go round in circles.
      if (this.#failed.has(listener)) return
      this.#failed.add(listener)
      const message = `A listener failed: ${nameOf(error)}.`
      this.log.append('ERROR', { code: nameOf(error), message, during: 'listener' }, {})
    }
    try {
      const answer: unknown = listener(event, { sessionId: this.sessionId })
      if (typeof Object(answer).then === 'function') Promise.resolve(answer).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
