import type {
  AgentSessionSnapshot,
  AgentSessionStore,
  SessionList,
  SessionSummary,
} from '../contracts/agent-session-store.ts'
import { HoldfastError } from '../errors.ts'
import { metadataOf, sessionSaveOf } from '../sessions/session-state.ts'
import type { Cell } from './cell.ts'
import type { CellSet, PageQuery, Row } from './cell-set.ts'
import { openMeta } from './codec.ts'
import { sessionChange, sessionOf } from './session-records.ts'

/**
 * Sessions that outlive the process, one cell of a storage each. `storage.sessions()` makes it. A save
 * writes the events that are new and a small head.
 *
 * Errors of reads: `STORAGE_FAILED`, `CORRUPT`, `UNSUPPORTED` (stored by a newer version), `CLOSED`. Writes
 * have those, `CONFLICT` and `TOO_LARGE`, each with its `outcome`.
 */
export class DurableSessionStore implements AgentSessionStore {
  readonly #set: CellSet
  /** A cell lives, and remembers what it read, as long as somebody holds the first event that was saved to it. */
  readonly #held = new WeakMap<object, Cell>()

  /** @internal */
  constructor(set: CellSet) {
    this.#set = set
  }

  async save(snapshot: AgentSessionSnapshot): Promise<{ revision: string }> {
    // All of it before the first await: the snapshot is the caller's to change.
    const { next, fold } = sessionSaveOf(snapshot)
    const cell = this.#set.cell(next.id)
    const [first] = snapshot.events
    if (first) this.#held.set(first, cell)
    const revision = await cell.commit((stored) => sessionChange(stored, next, fold))
    return { revision: revision as string }
  }

  async load(sessionId: string): Promise<AgentSessionSnapshot | undefined> {
    return this.#set.cell(sessionId).read((state) => sessionOf(state, sessionId))
  }

  /** Deletes the session, readable or not. */
  async delete(sessionId: string): Promise<boolean> {
    return this.#set.cell(sessionId).delete()
  }

  async listSessionIds(): Promise<string[]> {
    const ids: string[] = []
    for await (const { id } of this.#set.rows()) ids.push(id)
    return ids
  }

  async listSessions(query: PageQuery = {}): Promise<SessionList> {
    const { rows, next } = await this.#set.page(query)
    const sessions: SessionSummary[] = []
    for (const row of rows) sessions.push(await this.#summary(row))
    return { sessions, ...next }
  }

  /** One record that cannot be read must not hide those beside it. */
  async #summary({ id, head }: Row): Promise<SessionSummary> {
    const meta = head && (await this.#open(head, id))
    try {
      return { id, metadata: metadataOf(meta ?? '') }
    } catch {
      return { id }
    }
  }

  async #open(head: NonNullable<Row['head']>, id: string): Promise<string | undefined> {
    const { backend } = this.#set.cells
    try {
      return await backend.track(() => openMeta(head, this.#set.name(id), backend))
    } catch (error) {
      // A key service that is down says nothing about the record.
      if (error instanceof HoldfastError && error.code === 'CORRUPT') return undefined
      throw error
    }
  }
}
