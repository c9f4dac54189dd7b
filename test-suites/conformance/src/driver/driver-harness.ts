import type { SessionDriver } from '@holdfast/core'
import type { ConformanceCase } from '../case.ts'

/** What a driver's maker gives the suite: one opened driver. */
export interface DriverConnection {
  /** The driver, ready to work. */
  readonly driver: SessionDriver
  /** Closes what `connect` opened. */
  close(): Promise<void>
}

/** What a driver case works on. */
export interface DriverHarness {
  /** The driver in the first process. */
  readonly driver: SessionDriver
  /** The same storage, opened in a second process; the same object where only one process may open it. */
  readonly other: SessionDriver
  /** Opens the storage once more; undefined where only one process may. */
  readonly connect?: (() => Promise<DriverConnection>) | undefined
}

/** A rule of drivers. */
export type DriverCase = ConformanceCase<DriverHarness>

/** For cases about a method that a driver may leave out. */
export const needs =
  (method: 'append' | 'delete', also?: 'append' | 'delete') =>
  ({ driver }: DriverHarness): true | string => {
    const missing = [method, also].filter((it) => it !== undefined && !driver[it])
    return missing.length === 0 || `the driver has no ${missing.join(' and no ')}`
  }
