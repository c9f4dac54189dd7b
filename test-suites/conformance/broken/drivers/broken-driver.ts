import type { DriverConnection } from '../../src/index.ts'
import { type Cell, PlainDriver } from './plain-driver.ts'

/** A driver with one fault, and the cases that must reject it. */
export interface BrokenDriver {
  /** The fault, in a phrase. */
  readonly name: string
  readonly killedBy: readonly string[]
  /** Makes an empty storage; each call of the answer opens it in one more process. */
  make(): () => Promise<DriverConnection>
}

type Made = new (cells: Map<string, Cell>) => PlainDriver

/** A fault of the driver itself. */
export function broken(
  name: string,
  killedBy: string | readonly string[],
  Driver: Made,
): BrokenDriver {
  return {
    name,
    killedBy: typeof killedBy === 'string' ? [killedBy] : killedBy,
    make() {
      const cells = new Map<string, Cell>()
      return async () => ({ driver: new Driver(cells), close: async () => {} })
    },
  }
}

/** A fault of opening and closing. */
export function brokenConnection(
  name: string,
  killedBy: string,
  make: (open: () => PlainDriver) => () => Promise<DriverConnection>,
): BrokenDriver {
  return {
    name,
    killedBy: [killedBy],
    make() {
      const cells = new Map<string, Cell>()
      return make(() => new PlainDriver(cells))
    },
  }
}
