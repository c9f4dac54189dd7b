import { type AgentResult, HoldfastError } from '@holdfast/core'
import type { Console } from '../output/console.ts'
import { oneLine } from '../output/cut.ts'
import { codeOf } from '../output/error-line.ts'
import { AnswerDisplay } from './answer-display.ts'
import { type AnswerReport, AnswerTally } from './answer-report.ts'
import { pendingText } from './call-commands.ts'
import { isCommand, runCommand } from './commands.ts'
import type { Conversation } from './conversation.ts'
import type { Decide } from './decide.ts'

/** `waiting`: calls wait for somebody to decide about them. */
export type Outcome = 'ok' | 'failed' | 'stopped' | 'waiting' | 'quit'

/** How much of the last answer is shown when a session is opened again. */
const LAST_LINES = 10

const STATUS = {
  ok: 'completed',
  quit: 'completed',
  failed: 'failed',
  stopped: 'stopped',
  waiting: 'interrupted',
} as const

/** Handles one line after the other: what is common to the terminal, to pipes and to `--once`. */
export class Turns {
  readonly #chat: Conversation
  readonly #console: Console
  readonly #decide: Decide
  readonly #live: boolean
  readonly #ending: AbortSignal
  #running: AbortController | undefined
  #tally = new AnswerTally()
  #error: unknown

  /** `live`: show answers as they come. `ending` stops the running answer, and any that would begin after it. */
  constructor(
    chat: Conversation,
    console: Console,
    decide: Decide,
    { live, ending }: { readonly live: boolean; readonly ending: AbortSignal },
  ) {
    this.#chat = chat
    this.#console = console
    this.#decide = decide
    this.#live = live
    this.#ending = ending
  }

  /** Stops the running answer; false if there is none, or if it was told to stop before. */
  stop(): boolean {
    if (!this.#running || this.#running.signal.aborted) return false
    this.#running.abort()
    return true
  }

  /** True until the running answer has ended. */
  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** True while calls wait for somebody to decide about them. */
  async isWaiting(): Promise<boolean> {
    return (await this.#chat.session.pending()).length > 0
  }

  async handle(line: string): Promise<Outcome> {
    if (line.trim() === '') return 'ok'
    this.#tally = new AnswerTally()
    this.#error = undefined
    return this.#shown(async () => {
      if (isCommand(line.trim())) return this.#command(line)
      const state = await this.#settle()
      if (state === 'ok') return this.#ask(line)
      this.#console.note('The question was not asked: the turn before it is not over.')
      return state
    })
  }

  /** As `handle`, and waits until all of it is saved. */
  async handleAndSave(line: string): Promise<Outcome> {
    const outcome = await this.handle(line)
    const saved = await this.#shown(async () => {
      await this.#chat.close()
      return 'ok'
    })
    return saved === 'ok' ? outcome : saved
  }

  /** What the line that was handled last came to. */
  report(outcome: Outcome): AnswerReport {
    return this.#tally.report(this.#chat.id, STATUS[outcome], this.#error)
  }

  /**
   * What a session begins with when it is opened: its last exchange is shown, because the answer may
   * have been stored and never printed; calls that wait are asked about; and a question that a kill left
   * without an answer gets one.
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
      const state = await this.#settle()
      if (state !== 'ok' || !(await this.#chat.isUnanswered())) return state
      this.#console.note('There is a question without an answer; going on with it.')
      return this.#ask(null)
    })
  }

  async #command(line: string): Promise<Outcome> {
    const { text, next } = await runCommand(line, this.#chat)
    if (text !== '') this.#console.say(text)
    this.#tally.add({ text })
    if (next === 'opened') return this.opened()
    if (next === 'go') return this.#ask(null)
    return next ?? 'ok'
  }

  /** Ends a turn whose calls wait, if somebody decides about them; `ok` where none is left. */
  async #settle(): Promise<Outcome> {
    if (!(await this.isWaiting())) return 'ok'
    this.#console.note('The turn before is not over: calls wait.')
    const { answered } = await this.#decideAll()
    return answered > 0 ? this.#ask(null) : this.#waiting()
  }

  /** Runs the turn to its end, asking about the calls that wait on the way. */
  async #ask(input: string | null): Promise<Outcome> {
    this.#tally.begin()
    let result = await this.#run(input)
    while (result.status === 'interrupted') {
      const { answered, left } = await this.#decideAll()
      if (answered > 0) result = await this.#run(null)
      if (answered === 0 || left > 0) return this.#waiting()
    }
    return 'ok'
  }

  async #run(input: string | null): Promise<AgentResult> {
    // Not even asked: what is stored says nothing of it, and the next start does not go on with it.
    if (this.#ending.aborted) throw new HoldfastError('ABORTED', 'The program was told to end.')
    const controller = new AbortController()
    const display = new AnswerDisplay(this.#console, this.#live)
    this.#running = controller
    try {
      const signal = AbortSignal.any([controller.signal, this.#ending])
      const stream = this.#chat.ask(input, signal)
      for await (const part of stream) display.show(part)
      const result = await stream.result
      this.#tally.add(result)
      if (result.status === 'completed') display.whole(result.text)
      return result
    } finally {
      display.end()
      this.#running = undefined
    }
  }

  async #decideAll(): Promise<{ answered: number; left: number }> {
    const { session } = this.#chat
    const calls = await session.pending()
    for (const [answered, call] of calls.entries()) {
      const answer = await this.#decide(call)
      if (!answer) return { answered, left: calls.length - answered }
      await session.answer(call.callId, answer)
    }
    return { answered: calls.length, left: 0 }
  }

  async #waiting(): Promise<Outcome> {
    const interruptions = await this.#chat.session.pending()
    this.#tally.add({ interruptions })
    this.#error = new HoldfastError(
      'PENDING_CALLS',
      'Calls wait for you: /approve, /reject, /rerun or /output answer them, and so do --approve, --rerun and --reject.',
    )
    if (this.#live) {
      this.#console.note('[waiting for you; /pending shows for what]')
    } else {
      this.#console.note(pendingText(interruptions))
      this.#console.fail(this.#error)
    }
    return 'waiting'
  }

  async #shown(action: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await action()
    } catch (error) {
      this.#error = error
      this.#tally.addPartial(error)
      if (codeOf(error) === 'ABORTED') {
        this.#console.note('[stopped]')
        return 'stopped'
      }
      this.#console.fail(error)
      return 'failed'
    }
  }
}
