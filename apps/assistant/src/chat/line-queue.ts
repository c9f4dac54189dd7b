import type { Interface } from 'node:readline'

/**
 * The lines of a readline interface, each exactly once, however many arrive at one time. Readline's
 * own iterator drops those that come in before it is asked.
 */
export class LineQueue {
  #lines: string[] = []
  #wake: (() => void) | undefined
  #closed = false

  constructor(source: Interface) {
    source.on('line', (line) => {
      this.#lines.push(line)
      this.#wake?.()
    })
    source.on('close', () => {
      this.#closed = true
      this.#wake?.()
    })
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  /** True once no more lines can come. */
  get isClosed(): boolean {
    return this.#closed
  }

  /** Forgets what was typed ahead. */
  clear(): void {
    this.#lines.length = 0
  }

  /** The next line; `undefined` after the last, and once `signal` aborts. */
  async next(signal?: AbortSignal): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#closed && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        // The signal may live as long as the program: no line leaves a listener on it.
        const wake = () => {
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        this.#wake = wake
        signal?.addEventListener('abort', wake)
      })
    }
    return signal?.aborted ? undefined : this.#lines.shift()
  }

  /** The next line that comes in from now on: what was typed before a question was seen does not answer it. */
  async fresh(signal: AbortSignal): Promise<string | undefined> {
    const before = this.#lines
    this.#lines = []
    try {
      return await this.next(signal)
    } finally {
      this.#lines = [...before, ...this.#lines]
    }
  }
}
