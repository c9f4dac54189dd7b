import type { Interface } from 'node:readline'

/**
 * The lines of a readline interface, each exactly once, however many arrive at one time. Readline's
 * own iterator drops those that come in before it is asked.
 */
export class LineQueue {
  readonly #lines: string[] = []
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

  /** Forgets what was typed ahead. */
  clear(): void {
    this.#lines.length = 0
  }

  /** The next line; `undefined` after the last. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#lines.shift()
  }
}
