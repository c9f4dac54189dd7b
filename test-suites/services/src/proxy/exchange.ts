import type { DecideFate, Direction, Fate } from './fate.ts'
import type { TrafficCounter } from './traffic.ts'

/** The bursts of one connection: whose turn it is, and what becomes of the newest burst of each direction. */
export class Exchange {
  readonly #connection: number
  readonly #counter: TrafficCounter
  readonly #decide: DecideFate | undefined
  readonly #numbers = { request: 0, answer: 0 }
  #turn: Direction | undefined

  constructor(connection: number, counter: TrafficCounter, decide: DecideFate | undefined) {
    this.#connection = connection
    this.#counter = counter
    this.#decide = decide
  }

  /** Takes note of bytes; answers the fate of the burst that begins with them, undefined in the middle of one. */
  take(direction: Direction, bytes: Uint8Array): Fate | undefined {
    this.#counter.bytes(direction, bytes.length)
    if (this.#turn === direction) return undefined
    if (this.#turn === 'request') this.#counter.roundTrip()
    this.#turn = direction
    const number = ++this.#numbers[direction]
    return this.#decide?.({ direction, connection: this.#connection, number, bytes }) ?? 'pass'
  }
}
