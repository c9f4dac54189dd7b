import type { Console } from '../output/console.ts'
import { oneLine } from '../output/cut.ts'
import { codeOf } from '../output/error-line.ts'
import { isCommand, runCommand } from './commands.ts'
import type { Conversation } from './conversation.ts'

export type Outcome = 'ok' | 'failed' | 'stopped' | 'quit'

/** How much of the last answer is shown when a session is opened again. */
const LAST_LINES = 10

/** Handles one line after the other: what is common to the terminal, to pipes and to `--once`. */
export class Turns {
  readonly #chat: Conversation
  readonly #console: Console
  #running: AbortController | undefined

  constructor(chat: Conversation, console: Console) {
    this.#chat = chat
    this.#console = console
  }

  /** Stops the running answer; false if there is none. */
  stop(): boolean {
    this.#running?.abort()
    return this.#running !== undefined
  }

  async handle(line: string): Promise<Outcome> {
    if (line.trim() === '') return 'ok'
    return isCommand(line.trim()) ? this.#command(line) : this.#ask(line)
  }

  /**
   * What a session begins with when it is opened: its last exchange is shown, because the answer may
   * have been stored and never printed; and a question that a kill left without an answer gets one.
   */
  async opened(): Promise<Outcome> {
    return this.#shown(async () => {
      const last = await this.#chat.lastExchange()
      if (last) {
        const lines = last.answer.split('\n')
        const more = lines.length > LAST_LINES ? `\n… ${lines.length - LAST_LINES} more lines` : ''
        this.#console.note(`Last question: ${oneLine(last.question, 200)}`)
        this.#console.note(lines.slice(0, LAST_LINES).join('\n') + more)
      }
      if (!(await this.#chat.isUnanswered())) return 'ok'
      this.#console.note('There is a question without an answer; going on with it.')
      return this.#ask(null)
    })
  }

  async #command(line: string): Promise<Outcome> {
    return this.#shown(async () => {
      const { text, next } = await runCommand(line, this.#chat)
      if (text !== '') this.#console.say(text)
      if (next === 'opened') return this.opened()
      return next ?? 'ok'
    })
  }

  async #ask(input: string | null): Promise<Outcome> {
    const controller = new AbortController()
    this.#running = controller
    return this.#shown(async () => {
      this.#console.say(await this.#chat.ask(input, controller.signal))
      return 'ok'
    }).finally(() => {
      this.#running = undefined
    })
  }

  async #shown(action: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await action()
    } catch (error) {
      if (codeOf(error) === 'ABORTED') {
        this.#console.note('[stopped]')
        return 'stopped'
      }
      this.#console.fail(error)
      return 'failed'
    }
  }
}
