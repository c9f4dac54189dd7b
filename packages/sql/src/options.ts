import {
  checkFlag,
  checkWhole,
  invalid,
  knownOptions,
  type StorageSettings,
  show,
  storageSettings,
} from '@holdfast/core/adapter'
import { type TableNames, tableNames } from './table-name.ts'

/** What a driver needs to know of its tables and locks. */
export interface SqlDriverOptions {
  /**
   * Where to keep everything: an SQL identifier, optionally behind a schema (in SQLite: an attached
   * database). Default `'holdfast'`: the tables `holdfast_sessions` and `holdfast_entries`.
   */
  readonly table?: string | undefined
  /** Make missing tables when opening. Default true; turn it off where migrations make them. */
  readonly setup?: boolean | undefined
  /**
   * SQLite only: how long a statement waits for another process's lock before the storage tries again
   * by itself, in ms, 0 to 60,000. better-sqlite3 blocks the event loop for that time. Default 250 with
   * `openSql`; a database of your own keeps its setting.
   */
  readonly busyTimeoutMs?: number | undefined
  /**
   * PostgreSQL only: keep prepared statements on the server's connections. Default true; false where a
   * pooler that knows none stands between (PgBouncer before 1.21 in transaction mode).
   */
  readonly prepare?: boolean | undefined
}

/** The same, and what the storage above the driver takes. */
export interface SqlOptions extends SqlDriverOptions, StorageSettings {}

/** A package that a URL can be opened through where there is a choice. */
export type SqlClient = 'pg' | 'postgres' | 'better-sqlite3' | 'node:sqlite'

/** The same, and what only a connection that is opened here can be told. */
export interface OpenSqlOptions extends SqlOptions {
  /**
   * Through which package. PostgreSQL: `'pg'`, or `'postgres'` where only that is installed. SQLite:
   * `'better-sqlite3'`, or where that is not installed `'node:sqlite'`, which Node 22.13 and later have.
   */
  readonly client?: SqlClient | undefined
  /** Servers only: how many connections to hold at most. Default 10. */
  readonly maxConnections?: number | undefined
}

export interface CheckedOptions {
  readonly names: TableNames
  /** `undefined` where nothing was said: tables are made, but never in a transaction of the caller's. */
  readonly setup: boolean | undefined
  readonly busyTimeoutMs: number | undefined
  readonly prepare: boolean
  readonly client: SqlClient | undefined
  readonly maxConnections: number
  readonly storage: ReturnType<typeof storageSettings>
}

const NAMES = [
  'table',
  'setup',
  'busyTimeoutMs',
  'prepare',
  'timeoutMs',
  'attempts',
  'encryption',
] as const
const OPENING_NAMES = [...NAMES, 'client', 'maxConnections'] as const
const CLIENTS: readonly SqlClient[] = ['pg', 'postgres', 'better-sqlite3', 'node:sqlite']
const DEFAULT_CONNECTIONS = 10
const MAX_CONNECTIONS = 10_000
const MAX_BUSY_MS = 60_000

/** Checks every option of `openSql` before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOpenOptions(options: OpenSqlOptions = {}): CheckedOptions {
  const { client, maxConnections = DEFAULT_CONNECTIONS } = knownOptions(options, OPENING_NAMES)
  if (client !== undefined && !CLIENTS.includes(client)) {
    throw invalid(`client must be one of '${CLIENTS.join("', '")}', got ${show(client)}.`)
  }
  checkWhole('maxConnections', maxConnections, [1, MAX_CONNECTIONS])
  return { ...check(options), client, maxConnections }
}

/** The same for a database of the caller's own. */
export const checkOptions = (options: SqlOptions = {}): CheckedOptions =>
  check(knownOptions(options, NAMES))

function check(options: SqlOptions): CheckedOptions {
  const { table, setup, busyTimeoutMs, prepare = true } = options
  const names = tableNames(table)
  if (setup !== undefined) checkFlag('setup', setup)
  checkFlag('prepare', prepare)
  if (busyTimeoutMs !== undefined) checkWhole('busyTimeoutMs', busyTimeoutMs, [0, MAX_BUSY_MS])
  return {
    ...{ names, setup, busyTimeoutMs, prepare },
    client: undefined,
    maxConnections: DEFAULT_CONNECTIONS,
    storage: storageSettings(options),
  }
}
