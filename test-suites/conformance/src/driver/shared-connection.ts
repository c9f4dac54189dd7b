import type { SessionDriver } from '@holdfast/core'
import { checkDriverConnection } from '../connection-shape.ts'
import { Connections } from '../connections.ts'
import type { DriverConnection, DriverHarness } from './driver-harness.ts'

/** The two processes that a whole suite runs in. */
export class SharedConnection {
  readonly #connect: () => Promise<DriverConnection>
  readonly #processes: 1 | undefined
  readonly #connections: Connections<DriverConnection>

  constructor(connect: () => Promise<DriverConnection>, processes?: 1) {
    this.#connect = async () => checkDriverConnection(await connect())
    this.#processes = processes
    this.#connections = new Connections(this.#connect, processes ?? 2)
  }

  /** Opens the storage, unless it is open. */
  async open(): Promise<void> {
    await this.#connections.open()
  }

  /** The two processes, each behind `wrap`. A connection that failed fails every case. */
  async harness(wrap: (driver: SessionDriver) => SessionDriver): Promise<DriverHarness> {
    const [first, second] = await this.#connections.open()
    const driver = wrap(first.driver)
    return {
      driver,
      other: second === first ? driver : wrap(second.driver),
      connect: this.#processes === 1 ? undefined : () => this.#connect(),
    }
  }

  close(): Promise<void> {
    return this.#connections.close()
  }
}
