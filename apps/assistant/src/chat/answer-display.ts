import type { AgentDelta, AgentEvent, ContextReport } from '@holdfast/core'
import type { Console } from '../output/console.ts'
import { oneLine } from '../output/cut.ts'
import type { TextWriter } from '../output/text-writer.ts'
import { reportLine } from './report-line.ts'

/**
 * Shows an answer while it is made. With `live`, the text comes as the model says it, and tools are named when
 * they start; without, nothing is shown before the whole answer is stored, so that what a pipe has read is kept.
 */
export class AnswerDisplay {
  readonly #console: Console
  readonly #writer: TextWriter | undefined

  constructor(console: Console, live: boolean) {
    this.#console = console
    this.#writer = live ? console.writer() : undefined
  }

  show(part: AgentEvent | AgentDelta): void {
    switch (part.type) {
      case 'TEXT_DELTA':
        this.#writer?.add(part.text)
        return
      case 'MODEL_RESPONSE':
        this.#writer?.end()
        return
      case 'TOOL_CALL':
        if (!this.#writer) return
        this.#console.say(
          `· ${part.payload['name']} ${oneLine(String(part.payload['arguments']), 100)}`,
          'dim',
        )
        return
      case 'MODEL_RETRY': {
        const { error, delayMs } = part.payload
        // Rounded up: a short wait is no wait of 0.0 s.
        const seconds = (Math.ceil(Number(delayMs) / 100) / 10).toFixed(1)
        this.#console.note(`[the model failed (${error}); trying again in ${seconds} s]`)
        return
      }
      case 'MEMORY_COMPRESS':
        if (part.payload['memory'] === undefined) return
        this.#console.note(
          `[compacted: ${reportLine(part.payload['report'] as unknown as ContextReport)}]`,
        )
        return
      case 'ERROR':
        if (part.payload['during'] === 'run') return
        this.#console.note(`[${part.payload['during']}: ${part.payload['message']}]`)
    }
  }

  /** The whole answer, where it was not shown piece by piece. */
  whole(text: string): void {
    if (!this.#writer) this.#console.say(text)
  }

  /** Ends the line that was begun. */
  end(): void {
    this.#writer?.end()
  }
}
