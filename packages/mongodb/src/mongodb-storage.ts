import { createStorage, HoldfastError, type SessionDriver, type Storage } from '@holdfast/core'
import { invalid } from '@holdfast/core/adapter'
import { segmentedDriver } from '@holdfast/core/segments'
import type { MongodbDatabase } from './client.ts'
import { collectionsOf } from './collections.ts'
import { documentStore } from './document-store.ts'
import {
  type CheckedOptions,
  checkOptions,
  type MongodbDriverOptions,
  type MongodbOptions,
} from './options.ts'
import { prepareDatabase } from './setup.ts'

/**
 * A storage in a database of your own client: `mongodbStorage(client.db('agents'))`. It closes nothing.
 * Reads go to the primary and writes to the majority, whatever the client's settings say.
 *
 * Errors: `INVALID_ARGUMENT` (not a database of the client `mongodb`, a wrong option), `UNSUPPORTED` (a
 * server that is too old or does not keep its promises, a collection that was made otherwise),
 * `STORAGE_FAILED` (the server failed, or did not answer within `timeoutMs`).
 */
export async function mongodbStorage(
  db: MongodbDatabase,
  options: MongodbOptions = {},
): Promise<Storage> {
  const checked = checkOptions(options)
  return createStorage(await connectDriver(db, checked), checked.storage)
}

/**
 * The driver alone, with its collections set up: for the conformance suite, and for wrapping it before
 * `createStorage`. Errors as `mongodbStorage`.
 */
export async function mongodbDriver(
  db: MongodbDatabase,
  options: MongodbDriverOptions = {},
): Promise<SessionDriver> {
  return connectDriver(db, checkOptions(options))
}

/** Looks at the database and makes the collections. */
export async function connectDriver(db: unknown, options: CheckedOptions): Promise<SessionDriver> {
  checkDatabase(db)
  const collections = collectionsOf(db, options)
  try {
    await prepareDatabase(db, collections, options)
  } catch (error) {
    if (error instanceof HoldfastError) throw error
    const { name, code, message } = Object(error)
    const said = [name, code, message].filter(Boolean).join(' ')
    throw new HoldfastError(
      'STORAGE_FAILED',
      `The database ${db.databaseName} could not be prepared for the collections ${options.sessions} and ${options.segments}: ${said}`,
      { cause: error },
    )
  }
  return segmentedDriver(documentStore(collections, options.ttlMs))
}

const METHODS = ['collection', 'command', 'createCollection', 'listCollections'] as const

function checkDatabase(db: unknown): asserts db is MongodbDatabase {
  const given = Object(db)
  const named = typeof given.databaseName === 'string'
  if (named && METHODS.every((method) => typeof given[method] === 'function')) return
  const hint =
    typeof db === 'string'
      ? 'this is a string: for a URL call openMongodb(url)'
      : typeof given.db === 'function'
        ? "this is a client: call its db('name')"
        : "make one by new MongoClient(url).db('name'), or call openMongodb('mongodb://localhost/agents')"
  throw invalid(`mongodbStorage takes a database of the client mongodb; ${hint}.`)
}
