import type { SessionDriver } from '@holdfast/core'
import { type Decide, InjectedFault, intercept } from './intercept.ts'

/** Requests that were given up and are still on their way. */
export class LateRequests {
  readonly #waiting: { left: number; readonly send: () => Promise<unknown> }[] = []

  /** Keeps `send` until `left` further operations have begun. */
  keep(send: () => Promise<unknown>, left: number): void {
    this.#waiting.push({ left, send })
  }

  /** One operation begins: what has waited long enough arrives first. */
  async tick(): Promise<void> {
    for (const waiting of this.#waiting) waiting.left--
    await this.#arrive((waiting) => waiting.left <= 0)
  }

  /** Everything arrives now. */
  async arrive(): Promise<void> {
    await this.#arrive(() => true)
  }

  async #arrive(due: (waiting: { left: number }) => boolean): Promise<void> {
    for (let at = this.#waiting.findIndex(due); at >= 0; at = this.#waiting.findIndex(due)) {
      const [waiting] = this.#waiting.splice(at, 1)
      // Nobody waits for this answer: a refusal is what is hoped for, and an error has no reader.
      await waiting?.send().catch(() => {})
    }
  }
}

/**
 * The call fails at once; the request lands later: `delay()` operations of this driver later, or when
 * `late.arrive()` is called.
 */
export function requestLate(
  driver: SessionDriver,
  decide: Decide,
  late: LateRequests,
  delay: () => number,
): SessionDriver {
  return intercept(driver, {
    async read(send) {
      await late.tick()
      return send()
    },
    async write(send) {
      await late.tick()
      if (!decide()) return send()
      late.keep(send, delay())
      throw new InjectedFault('the request is late')
    },
  })
}
