import { createStorage, HoldfastError, type SessionDriver, type Storage } from '@holdfast/core'
import type { Recognised } from './dialects/recognise.ts'
import { sessionDriver } from './driver.ts'
import { load } from './load.ts'
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
 * A storage in a drizzle database of your own, over better-sqlite3 or PGlite. It closes nothing: the
 * client stays yours, as do its settings (on SQLite set `journal_mode = WAL` and `synchronous = FULL`
 * for what `openSql` promises).
 *
 * Errors: `INVALID_ARGUMENT` (not a drizzle database, a wrong option), `UNSUPPORTED` (an engine that is
 * not supported, a transaction, a database not in UTF-8), `STORAGE_FAILED` (the database failed).
 */
export async function sqlStorage(db: DrizzleDatabase, options: SqlOptions = {}): Promise<Storage> {
  const checked = checkOptions(options)
  return createStorage(await connectDriver(db, checked), checked.storage)
}

/**
 * The driver alone, over a drizzle database of your own, with its tables set up: for the conformance
 * suite, and for wrapping it before `createStorage`. Errors as `sqlStorage`.
 */
export async function sqlDriver(
  db: DrizzleDatabase,
  options: SqlDriverOptions = {},
): Promise<SessionDriver> {
  return connectDriver(db, checkOptions(options))
}

/** Recognises the database, looks at it, makes its tables. */
export async function connectDriver(db: unknown, options: CheckedOptions): Promise<SessionDriver> {
  if (db === null || typeof db !== 'object') throw notDrizzle(db)
  const { recognise } = await load(
    () => import('./dialects/recognise.ts'),
    'npm install drizzle-orm',
  )
  try {
    const found = recognise(db, options)
    const { dialect } = supported(found, db)
    await prepareDatabase(dialect, options.setup ?? true)
    return sessionDriver(dialect)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError(
      'STORAGE_FAILED',
      `The database could not be prepared for the tables ${options.names.sessions} and ${options.names.entries}: ${(error as Error)?.message}`,
      { cause: error },
    )
  }
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
  return new HoldfastError('INVALID_ARGUMENT', `sqlStorage takes a drizzle database; ${hint}.`)
}
