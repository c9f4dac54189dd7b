/** Longest pause between two tries, in ms: a writer among many must not fall behind for good. */
const MAX_PAUSE_MS = 100

/** How long one operation goes on trying: `attempts` times, for `forMs`, with jitter between. */
export class Patience {
  readonly #attempts: number
  readonly #end: number
  #tries = 0

  constructor(attempts: number, forMs: number) {
    this.#attempts = attempts
    this.#end = performance.now() + forMs
  }

  /** Counts a failed try and waits; false if it was the last one. */
  async again(): Promise<boolean> {
    if (++this.#tries >= this.#attempts || performance.now() >= this.#end) return false
    // The second try follows at once: a lost race costs nothing but the re-read.
    if (this.#tries > 1) {
      const pause = Math.random() * Math.min(2 ** this.#tries, MAX_PAUSE_MS)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    return true
  }
}
