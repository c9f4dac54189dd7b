import type {
  AgentSessionSnapshot,
  AgentSessionStore,
  SessionList,
  SessionSummary,
} from '../contracts/agent-session-store.ts'
import { knownOptions } from '../errors.ts'
import { checkId, checkLimit, compareUtf8, randomName } from '../ids.ts'
import {
  checkSave,
  metadataOf,
  type SessionState,
  sessionSnapshotOf,
  sessionStateOf,
} from './session-state.ts'

/** The session store that lives in this process: the reference for every other. */
export class InMemoryAgentSessionStore implements AgentSessionStore {
  readonly #sessions = new Map<string, SessionState & { readonly revision: string }>()
  /** A snapshot of another store must never pass for one of this. */
  readonly #name = randomName()
  #saves = 0

  async save(snapshot: AgentSessionSnapshot): Promise<{ revision: string }> {
    const next = sessionStateOf(snapshot)
    checkSave(next, this.#sessions.get(next.id))
    const revision = `${this.#name}.${++this.#saves}`
    this.#sessions.set(next.id, { ...next, revision })
    return { revision }
  }

  async load(sessionId: string): Promise<AgentSessionSnapshot | undefined> {
    const state = this.#sessions.get(checkId(sessionId, 'A session id'))
    return state && sessionSnapshotOf(state, state.revision)
  }

  async delete(sessionId: string): Promise<boolean> {
    return this.#sessions.delete(checkId(sessionId, 'A session id'))
  }

  async listSessionIds(): Promise<string[]> {
    return [...this.#sessions.keys()].sort(compareUtf8)
  }

  async listSessions(
    query: { readonly after?: string | undefined; readonly limit?: number | undefined } = {},
  ): Promise<SessionList> {
    const { after, limit = 100 } = knownOptions(query, ['after', 'limit'])
    checkLimit(limit)
    if (after !== undefined) checkId(after, 'after')
    const ids = (await this.listSessionIds()).filter((id) => compareUtf8(id, after ?? '') > 0)
    const sessions: SessionSummary[] = []
    for (const id of ids.slice(0, limit)) {
      const state = this.#sessions.get(id)
      if (state) sessions.push({ id, metadata: metadataOf(state.metadata) })
    }
    const last = sessions.at(-1)
    return last && ids.length > limit ? { sessions, next: last.id } : { sessions }
  }
}
