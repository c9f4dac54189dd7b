import { createStorage, HoldfastError, type SessionDriver, type Storage } from '@holdfast/core'
import { invalid, loadPeer, within } from '@holdfast/core/adapter'
import type { Dialect } from './dialects/dialect.ts'
import type { Recognised } from './dialects/recognise.ts'
import { sessionDriver } from './driver.ts'
import {
  type CheckedOptions,
  checkOptions,
  type SqlDriverOptions,
  type SqlOptions,
} from './options.ts'
import { prepareDatabase } from './setup.ts'

/** What every drizzle database has: enough to tell it from a raw client, without drizzle's own types. */
export interface DrizzleDatabase {
  /** Drizzle’s own description of the database. */
  readonly _: object
}

/**
 * A storage in a drizzle database of your own (which ones: the README). It closes nothing: the client
 * stays yours, as do its settings (on SQLite set `journal_mode = WAL` and `synchronous = FULL` for what
 * `openSql` promises). A pg pool or client without an `error` listener gets one, since a dropped
 * connection would end the process.
 *
 * Inside a transaction of the client's, where it can be had (`sqlStorage(tx)`): the tables must be there,
 * a conflict is `CONFLICT` at once, and when the transaction is over the storage is `CLOSED`.
 *
 * Errors: `INVALID_ARGUMENT` (not a drizzle database, a wrong option), `UNSUPPORTED` (an engine that is
 * not supported, a transaction of a client that allows none, a database not in UTF-8), `STORAGE_FAILED` (the database failed).
 */
export async function sqlStorage(db: DrizzleDatabase, options: SqlOptions = {}): Promise<Storage> {
  const checked = checkOptions(options)
  const { driver, inTransaction } = await connect(db, checked)
  // Whoever waits inside a transaction keeps others waiting for it: one attempt, then CONFLICT.
  return createStorage(driver, { ...checked.storage, ...(inTransaction && { attempts: 1 }) })
}

/**
 * The driver alone, over a drizzle database of your own, with its tables set up: for the conformance
 * suite, and for wrapping it before `createStorage`. Errors as `sqlStorage`.
 */
export async function sqlDriver(
  db: DrizzleDatabase,
  options: SqlDriverOptions = {},
): Promise<SessionDriver> {
  return (await connect(db, checkOptions(options))).driver
}

/** The driver over a database that was opened here. */
export async function connectDriver(db: unknown, options: CheckedOptions): Promise<SessionDriver> {
  return (await connect(db, options)).driver
}

interface Connected {
  readonly driver: SessionDriver
  readonly inTransaction: boolean
}

/** Recognises the database, looks at it, makes its tables. */
async function connect(db: unknown, options: CheckedOptions): Promise<Connected> {
  if (db === null || typeof db !== 'object') throw notDrizzle(db)
  const { recognise } = await loadPeer(
    () => import('./dialects/recognise.ts'),
    'npm install drizzle-orm',
  )
  return prepared(options, async () => {
    const { kind, dialect } = supported(
      await within(options.storage.timeoutMs, recognise(db, options)),
      db,
    )
    const inTransaction = kind === 'transaction'
    if (inTransaction) refuseInTransaction(options)
    await prepareDatabase(dialect, options.setup ?? !inTransaction, options.storage.timeoutMs)
    return { driver: sessionDriver(dialect), inTransaction }
  })
}

/** The driver over a client of our own that needs no drizzle. */
export function dialectDriver(dialect: Dialect, options: CheckedOptions): Promise<SessionDriver> {
  return prepared(options, async () => {
    await prepareDatabase(dialect, options.setup ?? true, options.storage.timeoutMs)
    return sessionDriver(dialect)
  })
}

async function prepared<T>({ names }: CheckedOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError(
      'STORAGE_FAILED',
      `The database could not be prepared for the tables ${names.sessions} and ${names.entries}: ${saidBy(error)}`,
      { cause: error },
    )
  }
}

/** Tries of one host's several addresses fail together, in an error that says nothing itself. */
const saidBy = (error: unknown) => {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown }
  return message || code || 'unknown error'
}

/** Without a word of the caller's, attempts have no bound; in a transaction there is one all the same. */
function refuseInTransaction({ setup, storage }: CheckedOptions): void {
  const wrong =
    setup === true
      ? 'setup is true: tables are made outside of transactions, once'
      : storage.attempts > 1 &&
        storage.attempts !== Infinity &&
        'attempts is more than 1: a conflict ends a transaction'
  if (!wrong) return
  throw invalid(`This is a drizzle transaction, and ${wrong}.`)
}

function supported(found: Recognised, db: unknown): Extract<Recognised, { dialect: unknown }> {
  if ('dialect' in found) return found
  if (found.kind === 'foreign') throw notDrizzle(db)
  throw new HoldfastError(
    'UNSUPPORTED',
    `drizzle's ${found.name} is not supported: ${found.reason ?? 'use a drizzle database over a client that is (see the README of @holdfast/sql).'}`,
  )
}

function notDrizzle(db: unknown): HoldfastError {
  const hint =
    typeof db === 'string'
      ? 'this is a string: for a URL call openSql(url)'
      : `this is ${db === null ? 'null' : db === undefined ? 'undefined' : 'something else'}: wrap a client as drizzle(client), or call openSql('sqlite:./agent.db')`
  return invalid(`sqlStorage takes a drizzle database; ${hint}.`)
}
