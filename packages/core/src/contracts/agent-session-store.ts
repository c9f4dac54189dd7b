import type { MemorySnapshot } from './agent-memory.ts'
import type { AgentEvent } from './events.ts'
import type { JsonObject } from './item.ts'

export interface SessionMetadata {
  /** Epoch ms. */
  readonly createdAt: number
  /** Epoch ms. */
  readonly updatedAt: number
  readonly attributes: JsonObject
}

/** A plain, detached copy of a session. */
export interface AgentSessionSnapshot {
  readonly id: string
  readonly metadata: SessionMetadata
  readonly memory: MemorySnapshot
  readonly events: readonly AgentEvent[]
  /** The stored state that it was loaded from; absent on one that was never stored. */
  readonly revision?: string
}

export interface SessionSummary {
  readonly id: string
  readonly metadata: SessionMetadata
}

/** Where sessions are kept. Snapshots are detached both ways. Reserved: nothing implements or takes it yet. */
export interface AgentSessionStore {
  /**
   * Without a revision it creates; over an existing id that is `CONFLICT`, as is a revision that is no
   * longer the current one. Both write nothing.
   */
  save(snapshot: AgentSessionSnapshot): Promise<{ revision: string }>
  load(sessionId: string): Promise<AgentSessionSnapshot | undefined>
  delete(sessionId: string): Promise<boolean>
  listSessionIds(): Promise<string[]>
  /** Never loads events. `after`: the `next` of the page before. */
  listSessions(query?: {
    readonly after?: string
    readonly limit?: number
  }): Promise<{ sessions: SessionSummary[]; next?: string }>
}
