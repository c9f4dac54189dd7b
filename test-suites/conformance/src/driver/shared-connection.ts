import type { SessionDriver } from '@holdfast/core'
import { checkDriverConnection, closeAll } from '../connection-shape.ts'
import type { DriverConnection, DriverHarness } from './driver-harness.ts'

/** Opens a storage for a whole suite: when the first case asks, not while the cases are registered. */
export class SharedConnection {
  readonly #connect: () => Promise<DriverConnection>
  readonly #processes: 1 | undefined
  #opened: Promise<readonly DriverConnection[]> | undefined

  constructor(connect: () => Promise<DriverConnection>, processes?: 1) {
    this.#connect = async () => checkDriverConnection(await connect())
    this.#processes = processes
  }

  async #open(): Promise<readonly DriverConnection[]> {
    const first = await this.#connect()
    if (this.#processes === 1) return [first]
    try {
      return [first, await this.#connect()]
    } catch (error) {
      // The caller is to learn why it cannot be opened, not why it cannot be closed.
      await closeAll([first]).catch(() => undefined)
      throw error
    }
  }

  /** Opens the storage, unless it is open. */
  async open(): Promise<void> {
    this.#opened ??= this.#open()
    await this.#opened
  }

  /** The two processes, each behind `wrap`. A connection that failed fails every case. */
  async harness(wrap: (driver: SessionDriver) => SessionDriver): Promise<DriverHarness> {
    this.#opened ??= this.#open()
    const [first, second = first] = await this.#opened
    if (!first || !second) throw new Error('connect() answered nothing')
    const driver = wrap(first.driver)
    return {
      driver,
      other: second === first ? driver : wrap(second.driver),
      connect: this.#processes === 1 ? undefined : () => this.#connect(),
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => [])
    this.#opened = undefined
    await closeAll(opened ?? [])
  }
}
