import type { PostgresJsClient } from './postgres-js.ts'

interface Endable extends PostgresJsClient {
  end(options: { timeout: number }): Promise<void>
}

/** How long the other calls of a client that is given up have left, in seconds. */
const GRACE_S = 5

/**
 * postgres.js without calls that never end. A connection of its that drops while a small message waits to
 * be sent sends nothing any more, even after it has connected again (3.4.7 to 3.4.9, for all that is known
 * up to now), and a silent server is waited for without end. So a call has `timeoutMs`; then another client
 * takes the place of the one that did not answer.
 */
export class RenewedPostgresJs implements PostgresJsClient {
  readonly #connect: () => Endable
  readonly #timeoutMs: number
  #client: Endable
  #ended = false

  constructor(connect: () => Endable, timeoutMs: number) {
    this.#connect = connect
    this.#timeoutMs = timeoutMs
    this.#client = connect()
  }

  unsafe(...query: Parameters<PostgresJsClient['unsafe']>) {
    const client = this.#client
    return new Promise<Awaited<ReturnType<PostgresJsClient['unsafe']>>>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#giveUp(client)
        reject(coded('CONNECT_TIMEOUT', `no answer within ${this.#timeoutMs} ms`))
      }, this.#timeoutMs)
      client.unsafe(...query).then(
        (rows) => {
          clearTimeout(timer)
          resolve(rows)
        },
        (error) => {
          clearTimeout(timer)
          // Of a client that was given up, but not by the storage's owner: worth another try.
          const given = client !== this.#client && /_(ENDED|DESTROYED)$/.test(error?.code)
          reject(given ? coded('CONNECTION_CLOSED', 'the client was given up') : error)
        },
      )
    })
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#client.end({ timeout: GRACE_S })
  }

  #giveUp(client: Endable): void {
    if (client !== this.#client || this.#ended) return
    this.#client = this.#connect()
    client.end({ timeout: GRACE_S }).catch(() => {})
  }
}

/** Named as postgres.js names its own. */
const coded = (code: string, message: string) => Object.assign(new Error(message), { code })
