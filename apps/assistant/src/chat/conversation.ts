import {
  type Agent,
  type AgentItem,
  createAgent,
  type DurableAgentMemory,
  HoldfastError,
  type MemorySummary,
  type Storage,
} from '@holdfast/core'
import type { ChosenModel } from '../model/choose-model.ts'
import { isMessage, isUnanswered, textOf, userTexts } from '../model/transcript.ts'
import { codeOf } from '../output/error-line.ts'
import type { Folder } from '../tools/folder.ts'
import { TodoList } from '../tools/todo-list.ts'
import { createTools } from '../tools/tools.ts'
import { type Announce, announcing } from './announcing.ts'

const INSTRUCTIONS =
  'You are a helpful assistant in a terminal. Use the tools to look into the files of the folder, to calculate and to keep the to-do list; do not guess what they can tell. Answer briefly, in plain text. If a tool was interrupted, look before you repeat it.'

/** More than any answer needs, and few enough that a model going round in circles is stopped. */
const MAX_STEPS = 25

/** Stored where the user stopped an answer, so that nobody takes the turn for one that a kill cut short. */
const STOPPED: AgentItem = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: '[stopped by the user]' }],
}

/** The assistant with one session at a time. All that it knows lies in the storage; it keeps nothing itself. */
export class Conversation {
  readonly #storage: Storage
  readonly #agent: Agent
  #id: string

  constructor(options: {
    readonly storage: Storage
    readonly folder: Folder
    readonly model: ChosenModel
    readonly sessionId: string
    readonly announce?: Announce
  }) {
    const { storage, folder, model, sessionId, announce } = options
    // A scope of its own: no session id can collide with a list, and no list shows up as a session.
    const todos = storage.scope('todo')
    this.#storage = storage
    this.#id = sessionId
    this.#agent = createAgent({
      modelClient: announce ? announcing(model.client, announce) : model.client,
      model: model.name,
      instructions: INSTRUCTIONS,
      tools: createTools(folder, (id) => {
        if (id === undefined) throw new Error('There is no to-do list outside a session.')
        return new TodoList(todos.memory(id))
      }),
      memorySupplier: (id) => storage.memory(id),
      maxSteps: MAX_STEPS,
    })
  }

  get id(): string {
    return this.#id
  }

  /**
   * The answer to `input`; `null` goes on with a turn that was cut short. What it answers is stored.
   * `ABORTED` when `signal` stopped it; that is stored too.
   */
  async ask(input: string | null, signal?: AbortSignal): Promise<string> {
    const session = await this.#agent.session(this.#id)
    try {
      const { text } = await session.run(input, signal ? { signal } : {})
      return text
    } catch (error) {
      // The abort may also have come after the answer was stored.
      if (codeOf(error) === 'ABORTED' && (await this.isUnanswered())) {
        await this.#memory().addOutputItems([STOPPED])
      }
      throw error
    }
  }

  /** What the model is shown next. */
  items(): Promise<AgentItem[]> {
    return this.#memory().getItems()
  }

  /** What was asked and answered last; `undefined` before the first answer. */
  async lastExchange(): Promise<{ question: string; answer: string } | undefined> {
    const items = await this.items()
    const answered = items.findLastIndex((item) => isMessage(item, 'assistant'))
    const question = userTexts(items.slice(0, answered)).at(-1)
    if (question === undefined) return undefined
    return { question, answer: textOf(items[answered]?.['content']) }
  }

  /** True where the session ends with a turn that has no answer, as after a kill. */
  async isUnanswered(): Promise<boolean> {
    return isUnanswered(await this.items())
  }

  /** Goes on with another session. `NOT_FOUND` if nothing is stored under that id. */
  async resume(id: string): Promise<void> {
    if ((await this.#memory(id).getItems()).length === 0) {
      throw new HoldfastError(
        'NOT_FOUND',
        `There is no session ${JSON.stringify(id)}; /sessions lists them, --session ID begins one of that name.`,
      )
    }
    this.#id = id
  }

  /** Begins a session; nothing is stored before its first question. */
  begin(id: string): void {
    this.#memory(id)
    this.#id = id
  }

  /** All sessions, the last used first. */
  async sessions(): Promise<MemorySummary[]> {
    const rows: MemorySummary[] = []
    let after: string | undefined
    do {
      const page = await this.#storage.listMemories({
        limit: 1_000,
        ...(after === undefined ? {} : { after }),
      })
      rows.push(...page.memories)
      after = page.next
    } while (after !== undefined)
    return rows.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0))
  }

  #memory(id = this.#id): DurableAgentMemory {
    return this.#storage.memory(id)
  }
}
