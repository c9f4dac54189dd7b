/** Longest pause between two tries, in ms: a writer among many must not fall behind for good. */
const MAX_PAUSE_MS = 100
/** The same after a lost race, in times of what the try took. */
const MAX_LOST_TRIES = 16

/** How long one operation goes on trying: `attempts` times, for `forMs`, with jitter between. */
export class Patience {
  readonly #attempts: number
  readonly #end: number
  #tries = 0
  #since: number

  constructor(attempts: number, forMs: number) {
    this.#attempts = attempts
    this.#since = performance.now()
    this.#end = this.#since + forMs
  }

  /** Counts a try that failed, or that lost its race to another writer, and waits; false if it was the last one. */
  async again(lost = false): Promise<boolean> {
    const now = performance.now()
    if (++this.#tries >= this.#attempts || now >= this.#end) return false
    // The second try follows at once: a lost race costs nothing but the re-read.
    if (this.#tries > 1) {
      // Whoever won may begin anew without any pause: who waits much longer than a write takes never wins.
      const most = lost
        ? (now - this.#since) * Math.min(2 ** this.#tries, MAX_LOST_TRIES)
        : 2 ** this.#tries
      const pause = Math.random() * Math.min(most, MAX_PAUSE_MS)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    this.#since = performance.now()
    return true
  }
}
