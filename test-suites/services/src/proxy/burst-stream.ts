import { Transform, type TransformCallback } from 'node:stream'
import type { Exchange } from './exchange.ts'
import type { Direction } from './fate.ts'

/** One direction of a connection: passes its bytes on as the fate of their burst wills. */
export class BurstStream extends Transform {
  readonly #exchange: Exchange
  readonly #direction: Direction
  readonly #cut: () => void
  #swallows = false
  #timer: NodeJS.Timeout | undefined

  constructor(exchange: Exchange, direction: Direction, cut: () => void) {
    super()
    this.#exchange = exchange
    this.#direction = direction
    this.#cut = cut
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const fate = this.#exchange.take(this.#direction, bytes) ?? 'pass'
    if (fate === 'swallow') this.#swallows = true
    // Without `done` nothing behind it passes either: not even the end, which must not overtake the cut.
    if (fate === 'cut') this.#cut()
    else if (this.#swallows) done()
    // What comes meanwhile waits behind it, so the order is kept.
    else if (typeof fate === 'object') {
      this.#timer = setTimeout(() => done(null, bytes), fate.delayMs)
    } else done(null, bytes)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer)
    done(error)
  }
}
