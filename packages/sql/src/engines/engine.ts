import type { SessionDriver } from '@holdfast/core'
import type { CheckedOptions, SqlClient } from '../options.ts'

/** A database that was opened here, and how to close it again. */
export interface Opened {
  readonly driver: SessionDriver
  readonly close: () => void | Promise<void>
}

/** What opens the URLs of some schemes. Every engine has a file of its own and its line in `index.ts`. */
export interface Engine {
  /** In lower case, without the colon. */
  readonly schemes: readonly string[]
  /** A URL as an example, in messages. */
  readonly example: string
  /** Whether what follows the scheme is a path to a file or folder; else `open` gets the whole URL. */
  readonly takesPath: boolean
  /** What the `client` option may be, where there is a choice. */
  readonly clients?: readonly SqlClient[]
  /** Opens what the URL names. Of `rest` nothing may be shown in a message if it may hold a password. */
  open(rest: string, options: CheckedOptions): Promise<Opened>
}
