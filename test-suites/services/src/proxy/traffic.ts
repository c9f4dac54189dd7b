import type { Direction } from './fate.ts'

/** What passed through a proxy. */
export interface Traffic {
  readonly connections: number
  /**
   * How often a server answered a client: a burst of requests with an answer behind it is one, however many
   * requests were in it. A greeting that nobody asked for is none. Requests that overlap on one connection
   * may count as one.
   */
  readonly roundTrips: number
  /** Bytes from clients. */
  readonly requestBytes: number
  /** Bytes from the server, those that were swallowed included. */
  readonly answerBytes: number
}

export class TrafficCounter {
  #connections = 0
  #roundTrips = 0
  readonly #bytes = { request: 0, answer: 0 }

  /** Counts a connection and answers its number. */
  connection(): number {
    return ++this.#connections
  }

  bytes(direction: Direction, count: number): void {
    this.#bytes[direction] += count
  }

  roundTrip(): void {
    this.#roundTrips++
  }

  read(): Traffic {
    return {
      connections: this.#connections,
      roundTrips: this.#roundTrips,
      requestBytes: this.#bytes.request,
      answerBytes: this.#bytes.answer,
    }
  }
}
