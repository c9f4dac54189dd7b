import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentSessionSnapshot, AgentSessionStore } from '../contracts/agent-session-store.ts'
import type { AgentEvent, AgentEventType } from '../contracts/events.ts'
import { checkMethods, HoldfastError, show, wrong } from '../errors.ts'
import { type FoldOptions, SessionEventProjector } from './session-event-projector.ts'

/**
 * Looks into stored sessions without opening them: nothing but `fork` writes, and that only to the new id.
 * What it answers is the caller's own. Errors of every method: `NOT_FOUND` for an id that is not stored, and
 * those of the store.
 */
export class SessionLogReader {
  readonly #store: AgentSessionStore

  private constructor(store: AgentSessionStore) {
    this.#store = store
  }

  /** A reader of `store`; `INVALID_ARGUMENT` if it is none. */
  static of(store: AgentSessionStore): SessionLogReader {
    checkMethods('The store', store, ['save', 'load', 'listSessionIds'])
    return new SessionLogReader(store)
  }

  /** Ascending by their UTF-8 bytes. */
  listSessionIds(): Promise<string[]> {
    return this.#store.listSessionIds()
  }

  /** The stored record: what resuming the session starts from. */
  async read(sessionId: string): Promise<AgentSessionSnapshot> {
    const snapshot = await this.#store.load(sessionId)
    if (snapshot) return snapshot
    throw new HoldfastError(
      'NOT_FOUND',
      `There is no session ${show(sessionId)} in this store; listSessionIds() names those there are.`,
      { outcome: 'not-committed' },
    )
  }

  /** Ascending by sequence. */
  async events(sessionId: string): Promise<AgentEvent[]> {
    return [...(await this.read(sessionId)).events]
  }

  /** The events of one type, or those that `predicate` answers true for. */
  async search(
    sessionId: string,
    wanted: AgentEventType | ((event: AgentEvent) => boolean),
  ): Promise<AgentEvent[]> {
    if (typeof wanted !== 'string' && typeof wanted !== 'function') {
      throw wrong('What to search', 'an event type or a function', wanted)
    }
    return (await this.events(sessionId)).filter((event) =>
      typeof wanted === 'string' ? event.type === wanted : wanted(event),
    )
  }

  /** The memory that the events lead to, or led to when event `until` had happened. */
  async project(sessionId: string, options?: FoldOptions): Promise<MemorySnapshot> {
    return SessionEventProjector.deriveSnapshot(await this.events(sessionId), options)
  }

  /** Stores a copy of the record as `newId` and answers it. `CONFLICT` where there is a session of that id. */
  async fork(sessionId: string, newId: string): Promise<AgentSessionSnapshot> {
    const { revision: _, ...record } = await this.read(sessionId)
    const copy = { ...record, id: newId }
    return { ...copy, ...(await this.#store.save(copy)) }
  }
}
