import type { SessionDriver } from '@holdfast/core'

/** A database that was opened here, and how to close it again. */
export interface Opened {
  readonly driver: SessionDriver
  readonly close: () => void | Promise<void>
}
