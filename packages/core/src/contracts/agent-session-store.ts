import type { MemorySnapshot } from './agent-memory.ts'
import type { CompactResult } from './compaction.ts'
import type { AgentEvent } from './events.ts'
import type { JsonObject } from './item.ts'

/** What is known of a session without its events; lists show it. */
export interface SessionMetadata {
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms of the last event. */
  readonly updatedAt: number
  /** The user's own: JSON, at most 10 KiB as UTF-8 (`TOO_LARGE`). */
  readonly attributes: JsonObject
}

/** A plain, detached copy of a session. */
export interface AgentSessionSnapshot {
  /** The session’s id; the store finds the record by it. */
  readonly id: string
  /** Times and the user’s attributes. */
  readonly metadata: SessionMetadata
  /** What the next model call would see. */
  readonly memory: MemorySnapshot
  /** Ascending by sequence. */
  readonly events: readonly AgentEvent[]
  /** What the last compaction answered, without the memory that it made. */
  readonly compact?: Omit<CompactResult, 'memory'>
  /** The stored state that it was loaded from; absent on one that was never stored. */
  readonly revision?: string
}

/** A session as a list shows it. */
export interface SessionSummary {
  /** As it was given to the agent. */
  readonly id: string
  /** Absent where the stored record cannot be read. */
  readonly metadata?: SessionMetadata
}

/** One page of a list. */
export interface SessionList {
  /** Ascending by id. */
  readonly sessions: SessionSummary[]
  /** Pass it as `after` to get the next page; absent on the last one. */
  readonly next?: string
}

/** Where sessions are kept. Snapshots are detached both ways. */
export interface AgentSessionStore {
  /**
   * Without a revision it creates; over an existing id that is `CONFLICT`, as is a revision that is no
   * longer the current one, and a snapshot whose earlier events are not those stored (the front may be
   * trimmed to a baseline, as `session.trimEvents` does). Each writes nothing.
   */
  save(snapshot: AgentSessionSnapshot): Promise<{ revision: string }>
  /** The stored session, with the revision to save it by; `undefined` where there is none. */
  load(sessionId: string): Promise<AgentSessionSnapshot | undefined>
  /** Answers whether there was one. */
  delete(sessionId: string): Promise<boolean>
  /** Ascending by their UTF-8 bytes. */
  listSessionIds(): Promise<string[]>
  /** Ascending by id; never loads events. `after`: the `next` of the page before. `limit`: 1 to 1,000, default 100. */
  listSessions(query?: {
    readonly after?: string | undefined
    readonly limit?: number | undefined
  }): Promise<SessionList>
}
