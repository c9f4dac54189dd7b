import {
  type Agent,
  type AgentSession,
  type AgentStream,
  HoldfastError,
  type JsonObject,
  type Storage,
} from '@holdfast/core'
import { isMessage, textOf, userTexts } from '../model/transcript.ts'
import { oneLine } from '../output/cut.ts'
import { codeOf } from '../output/error-line.ts'
import type { Mask } from '../output/mask.ts'
import { type AssistantOptions, assistantAgent, todoScope } from './assistant-agent.ts'
import { type ListedSession, listSessions } from './session-list.ts'

const MAX_TITLE = 60

/** The assistant with one session at a time. All that it knows lies in the storage; it keeps nothing itself. */
export class Conversation {
  readonly #storage: Storage
  readonly #agent: Agent
  readonly #mask: Mask
  #session: AgentSession

  private constructor({ storage, mask }: AssistantOptions, agent: Agent, session: AgentSession) {
    this.#storage = storage
    this.#agent = agent
    this.#mask = mask
    this.#session = session
  }

  /** Opens the session of that id, or begins it; nothing is stored before its first question. */
  static async open(options: AssistantOptions & { readonly sessionId: string }) {
    const { sessionId, ...rest } = options
    const agent = assistantAgent(rest)
    return new Conversation(rest, agent, await agent.session(sessionId))
  }

  get id(): string {
    return this.#session.id
  }

  get session(): AgentSession {
    return this.#session
  }

  /** True where nothing is stored of it yet. */
  get isNew(): boolean {
    return this.#session.eventLog.lastSequence === 0
  }

  /** Begins to answer `input`; `null` goes on with a turn that was cut short, or whose calls were answered. */
  ask(input: string | null, signal: AbortSignal): AgentStream {
    if (input !== null) this.#note(input)
    return this.#session.stream(input, { signal })
  }

  /** What was asked and answered last; `undefined` before the first answer. */
  async lastExchange(): Promise<{ question: string; answer: string } | undefined> {
    const items = await this.#session.memory.getItems()
    const answered = items.findLastIndex((item) => isMessage(item, 'assistant'))
    const question = userTexts(items.slice(0, Math.max(answered, 0))).at(-1)
    if (question === undefined) return undefined
    return { question, answer: textOf(items[answered]?.['content']) }
  }

  /**
   * True where the session ends with a turn that has no answer: its process was killed, or its model failed.
   * One that the user stopped is over.
   */
  async isUnanswered(): Promise<boolean> {
    const items = await this.#session.memory.getItems()
    const last = items.findLast((item) => item['role'] !== 'system')
    return last !== undefined && !isMessage(last, 'assistant') && !this.#wasStopped()
  }

  /** Goes on with another session. `NOT_FOUND` if nothing is stored under that id. */
  async resume(id: string): Promise<void> {
    const session = await this.#open(id)
    // Whatever was stored put something into its log, if only that it was resumed.
    if (session.eventLog.lastSequence === 0) {
      throw new HoldfastError(
        'NOT_FOUND',
        `There is no session ${JSON.stringify(id)}; /sessions lists them, --session ID begins one of that name.`,
      )
    }
    this.#session = session
  }

  /** Goes on with a session, or begins it. */
  async begin(id: string): Promise<void> {
    this.#session = await this.#open(id)
  }

  /** Goes on with a copy of this session, its to-do list included. `CONFLICT` where there is one of that id. */
  async fork(id: string): Promise<void> {
    const todos = todoScope(this.#storage)
    const list = await todos.memory(this.id).snapshot()
    const copy = await this.#session.fork(id).catch((error: unknown) => {
      if (codeOf(error) !== 'CONFLICT') throw error
      throw new HoldfastError(
        'CONFLICT',
        `Session ${JSON.stringify(id)} exists already; /resume ${id} goes on with it, /fork with another id copies.`,
        { cause: error },
      )
    })
    if (list.items.length > 0) await todos.memory(id).restore(list)
    await this.close()
    this.#session = copy
  }

  /** All sessions, the last used first. */
  sessions(): Promise<ListedSession[]> {
    return listSessions(this.#storage)
  }

  /** Waits for what is still being saved. */
  async close(): Promise<void> {
    await this.#session.flush()
  }

  async #open(id: string): Promise<AgentSession> {
    // It may be the very session that is open: what is read then must be all of it.
    await this.close()
    return this.#agent.session(id)
  }

  /**
   * A list of sessions then tells them apart without loading them. Attributes are the program's own, so no agent
   * takes secrets out of them.
   */
  #note(question: string): void {
    const { attributes } = this.#session.metadata
    const { title = oneLine(this.#mask(question), MAX_TITLE), questions = 0 } =
      attributes as JsonObject
    this.#session.setAttributes({ ...attributes, title, questions: Number(questions) + 1 })
  }

  #wasStopped(): boolean {
    const last = this.#session.eventLog.events.findLast(({ type, payload }) =>
      type === 'ERROR'
        ? payload['during'] === 'run'
        : type === 'USER_INPUT' || type === 'MEMORY_ITEMS_APPENDED' || type === 'TOOL_RESULT',
    )
    return last?.payload['code'] === 'ABORTED'
  }
}
