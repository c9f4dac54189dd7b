import { createStorage, type Encryption, HoldfastError, type SessionDriver } from '@holdfast/core'
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
export interface SqlOptions extends SqlDriverOptions {
  /** How long one call of the database may take, in ms. Default 15,000. */
  readonly timeoutMs?: number | undefined
  /** How often one operation is tried after conflicts and transient errors, within 30 s. Default: no bound. */
  readonly attempts?: number | undefined
  /** Encrypts every entry. Default: none. */
  readonly encryption?: Encryption | undefined
}

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
  /** As `createStorage` takes them: without the absent ones. */
  readonly storage: { timeoutMs?: number; attempts?: number; encryption?: Encryption }
}

const NAMES = ['table', 'setup', 'busyTimeoutMs', 'prepare', 'timeoutMs', 'attempts', 'encryption']
const OPENING_NAMES = [...NAMES, 'client', 'maxConnections']

const CLIENTS: readonly SqlClient[] = ['pg', 'postgres', 'better-sqlite3', 'node:sqlite']

const invalid = (message: string) => new HoldfastError('INVALID_ARGUMENT', message)

/** Checks every option of `openSql` before anything is opened or written: `INVALID_ARGUMENT`. */
export function checkOpenOptions(options: OpenSqlOptions = {}): CheckedOptions {
  const checked = check(options, OPENING_NAMES)
  const { client, maxConnections = 10 } = options
  if (client !== undefined && !CLIENTS.includes(client)) {
    throw invalid(`client must be one of '${CLIENTS.join("', '")}', got ${shown(client)}.`)
  }
  if (!Number.isInteger(maxConnections) || maxConnections < 1 || maxConnections > 10_000) {
    throw invalid(`maxConnections must be a whole number from 1, got ${shown(maxConnections)}.`)
  }
  return { ...checked, client, maxConnections }
}

/** The same for a database of the caller's own. */
export function checkOptions(options: SqlOptions = {}): CheckedOptions {
  return check(options, NAMES)
}

const shown = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? JSON.stringify(value) : typeof value

function check(options: SqlOptions, known: readonly string[]): CheckedOptions {
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw invalid('options must be an object, such as { table: "holdfast" }.')
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw invalid(`There is no option ${JSON.stringify(unknown)}; there are ${known.join(', ')}.`)
  }
  const { table, setup, busyTimeoutMs, prepare = true, timeoutMs, attempts, encryption } = options
  const names = tableNames(table)
  if (setup !== undefined && typeof setup !== 'boolean')
    throw invalid(`setup must be true or false, got ${typeof setup}.`)
  if (typeof prepare !== 'boolean') {
    throw invalid(`prepare must be true or false, got ${typeof prepare}.`)
  }
  const wholeMs = Number.isInteger(busyTimeoutMs) && Number(busyTimeoutMs) >= 0
  if (busyTimeoutMs !== undefined && !(wholeMs && busyTimeoutMs <= 60_000)) {
    throw invalid('busyTimeoutMs must be a whole number of milliseconds from 0 to 60,000.')
  }
  const storage = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(attempts !== undefined && { attempts }),
    ...(encryption !== undefined && { encryption }),
  }
  // Core owns the rules of its options: a storage over nothing asks it, before a database is touched.
  createStorage(nothing, storage)
  return { names, setup, busyTimeoutMs, prepare, client: undefined, maxConnections: 10, storage }
}

const nothing: SessionDriver = {
  read: async () => null,
  replace: async () => false,
  list: async () => [],
}
