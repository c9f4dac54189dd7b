import type { AgentResult, PendingCall, Usage } from '@holdfast/core'
import { codeOf, messageOf } from '../output/error-line.ts'

/** What one question, or one command, came to: the object that `--json` prints. */
export interface AnswerReport {
  readonly session: string
  /** `completed`; `interrupted`: calls wait; `stopped`: by Ctrl-C; `failed`: see `error`. */
  readonly status: 'completed' | 'interrupted' | 'stopped' | 'failed'
  /** The answer, or what a command says; what there was of it where it failed. */
  readonly text: string
  /** What was said before it: the answer of a turn that was finished first, or what the command itself said. */
  readonly before?: string
  /** Model calls. */
  readonly steps: number
  readonly usage: Usage
  /** The calls that wait. */
  readonly interruptions: readonly PendingCall[]
  readonly error?: { readonly code: string; readonly message: string }
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Adds up what the runs of one answer took. */
export class AnswerTally {
  #text = ''
  #before: string[] = []
  #steps = 0
  #usage = NO_USAGE
  #interruptions: readonly PendingCall[] = []

  add({ text, steps, usage, interruptions = [] }: Partial<AgentResult>): void {
    this.#text = text || this.#text
    this.#steps += steps ?? 0
    this.#interruptions = interruptions
    if (!usage) return
    this.#usage = {
      inputTokens: this.#usage.inputTokens + usage.inputTokens,
      outputTokens: this.#usage.outputTokens + usage.outputTokens,
      totalTokens: this.#usage.totalTokens + usage.totalTokens,
    }
  }

  /** What was said so far is not the answer that comes now. */
  begin(): void {
    if (this.#text !== '') this.#before.push(this.#text)
    this.#text = ''
  }

  /** Of an error that says what was done before it. */
  addPartial(error: unknown): void {
    const partial = Object(error).partial
    if (typeof partial === 'object' && partial !== null) this.add(partial)
  }

  report(session: string, status: AnswerReport['status'], error?: unknown): AnswerReport {
    return {
      session,
      status,
      text: this.#text,
      ...(this.#before.length > 0 && { before: this.#before.join('\n') }),
      steps: this.#steps,
      usage: this.#usage,
      interruptions: this.#interruptions,
      ...(error !== undefined && { error: { code: codeOf(error), message: messageOf(error) } }),
    }
  }
}

/** The report of a program that failed before it could ask anything. */
export const failureReport = (session: string, error: unknown): AnswerReport =>
  new AnswerTally().report(session, 'failed', error)
