import { closeAll } from './connection-shape.ts'

/** Opens a storage for a whole suite, once or twice: when the first case asks, not while the cases are registered. */
export class Connections<C extends { close(): Promise<void> }> {
  readonly #connect: () => Promise<C>
  readonly #processes: 1 | 2
  #opened: Promise<readonly [C, C]> | undefined

  constructor(connect: () => Promise<C>, processes: 1 | 2) {
    this.#connect = connect
    this.#processes = processes
  }

  async #open(): Promise<readonly [C, C]> {
    const first = await this.#connect()
    if (this.#processes === 1) return [first, first]
    try {
      return [first, await this.#connect()]
    } catch (error) {
      // The caller is to learn why it cannot be opened, not why it cannot be closed.
      await closeAll([first]).catch(() => undefined)
      throw error
    }
  }

  /** The connections of the two processes, one and the same where only one may. One that failed fails every case. */
  async open(): Promise<readonly [C, C]> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    this.#opened = undefined
    await closeAll([...new Set(opened ?? [])])
  }
}
