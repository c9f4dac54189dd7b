import { createStorage, type Storage } from '@holdfast/core'
import { invalid, loadPeer } from '@holdfast/core/adapter'
import { connectDriver } from './mongodb-storage.ts'
import { type MongodbUrl, parseUrl } from './mongodb-url.ts'
import { checkOptions, type MongodbOptions } from './options.ts'

/**
 * Opens a database by its URL, `mongodb://host/agents` or `mongodb+srv://…`, and makes its collections
 * where they are missing. The storage owns the client: `storage.close()` ends it. Settings in the URL count,
 * except those for reads and writes, which are always to the primary and to the majority.
 *
 * Errors: `INVALID_ARGUMENT` (URL, options, or the package to install, with the line that does it), and
 * those of `mongodbStorage`.
 */
export async function openMongodb(url: string, options: MongodbOptions = {}): Promise<Storage> {
  const parsed = parseUrl(url)
  const checked = checkOptions(options)
  const { MongoClient, ReadPreference } = await loadPeer(
    () => import('mongodb'),
    'npm install mongodb',
  )
  // By its own setting the client waits for a server of that kind when it connects, whatever is asked of it then.
  const readPreference = ReadPreference.primary
  const settings = { ...timeouts(parsed, Math.ceil(checked.storage.timeoutMs)), readPreference }
  const client = created(() => new MongoClient(url, settings))
  try {
    const driver = await connectDriver(client.db(parsed.database), checked)
    return createStorage(driver, { ...checked.storage, close: () => client.close() })
  } catch (error) {
    await client.close()
    throw error
  }
}

/**
 * The client would wait longer than the storage, or for ever: then requests pile up behind a server that does
 * not answer.
 */
function timeouts(url: MongodbUrl, timeoutMs: number): object {
  const names = ['serverSelectionTimeoutMS', 'connectTimeoutMS', 'socketTimeoutMS']
  return Object.fromEntries(
    names.filter((name) => !url.sets(name)).map((name) => [name, timeoutMs]),
  )
}

/** The client quotes the URL, with its password, in what it says of one that it does not take. */
function created<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    const { name } = Object(error)
    throw invalid(
      `The client for MongoDB does not take this URL (${name}): look at its options, and whether user and password are percent-encoded.`,
    )
  }
}
