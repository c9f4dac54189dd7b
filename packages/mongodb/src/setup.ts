import { HoldfastError } from '@holdfast/core'
import { retryWhile, within } from '@holdfast/core/adapter'
import { type MongodbCollection, type MongodbDatabase, PLAIN } from './client.ts'
import type { Collections } from './collections.ts'
import { classifyMongodb } from './errors.ts'
import type { CheckedOptions } from './options.ts'
import { probe } from './probe.ts'

/** The wire version of MongoDB 4.4, the first whose projections may hold expressions. */
const MIN_WIRE_VERSION = 9
const NAMESPACE_EXISTS = 48

const PRIMARY = { ...PLAIN, readPreference: 'primary' } as const

const unsupported = (message: string) => new HoldfastError('UNSUPPORTED', message)

/** Tries again while the server is between two states, such as an election. */
const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  retryWhile(
    (error) =>
      Object(error).name !== 'MongoServerSelectionError' && classifyMongodb(error) === 'transient',
    work,
    [50, 250],
  )

/** What is done once before a storage is used: a look at the server, then collections, indexes and the probe. */
export async function prepareDatabase(
  db: MongodbDatabase,
  collections: Collections,
  options: CheckedOptions,
): Promise<void> {
  const timely = <T>(work: Promise<T>) => within(options.storage.timeoutMs, work)
  await patiently(() => timely(checkServer(db)))
  for (const name of [options.sessions, options.segments]) {
    if (options.setup) await patiently(() => timely(create(db, name)))
    await patiently(() => timely(checkCollection(db, name)))
  }
  if (!options.setup) return
  await patiently(() => timely(makeIndexes(collections, options)))
  await patiently(() => probe(collections, timely))
}

async function checkServer(db: MongodbDatabase): Promise<void> {
  const { maxWireVersion = 0 } = (await db.command({ hello: 1 }, PRIMARY)) as {
    maxWireVersion?: number
  }
  if (maxWireVersion < MIN_WIRE_VERSION) {
    throw unsupported(
      `The server speaks wire version ${maxWireVersion}; this needs MongoDB 4.4 or newer, which speaks ${MIN_WIRE_VERSION}.`,
    )
  }
}

async function create(db: MongodbDatabase, name: string): Promise<void> {
  try {
    await db.createCollection(name, { writeConcern: { w: 'majority' } })
  } catch (error) {
    if (Object(error).code !== NAMESPACE_EXISTS) throw error
  }
}

/** A collection that somebody made otherwise would merge ids, drop documents, or take none. */
async function checkCollection(db: MongodbDatabase, name: string): Promise<void> {
  const [found] = (await db.listCollections({ name }, PRIMARY).toArray()) as readonly {
    readonly type?: string
    readonly options?: { readonly capped?: boolean; readonly collation?: { locale?: string } }
  }[]
  // It does not exist, or the user may not know: the first write makes it as it should be.
  if (!found) return
  const { type = 'collection', options = {} } = found
  const { locale = 'simple' } = options.collation ?? {}
  const wrong =
    type !== 'collection'
      ? `is a ${type}`
      : options.capped
        ? 'is capped, so that it drops documents by itself'
        : locale !== 'simple'
          ? `has the default collation "${locale}", in which different ids may be equal`
          : undefined
  if (wrong === undefined) return
  throw unsupported(
    `The collection ${name} ${wrong}: use another name (the option collection), or drop it if it is not needed.`,
  )
}

/** The indexes that the queries need beside `_id`. */
export const INDEXES = {
  /** What sweeps walk. */
  segments: { session: 1, _id: 1 },
  /** By which the server removes what has expired. */
  expiry: { expiresAt: 1 },
  /** A page of a list, for planners that use the index of `_id` for single ids only; no write of a session changes its key. */
  pages: { _id: 1, v: 1 },
} as const

async function makeIndexes(
  { sessions, segments }: Collections,
  { ttlMs }: CheckedOptions,
): Promise<void> {
  await segments.createIndex(INDEXES.segments)
  if (ttlMs !== undefined) await sessions.createIndex(INDEXES.expiry, { expireAfterSeconds: 0 })
  if (await scans(sessions)) await sessions.createIndex(INDEXES.pages)
}

/** Whether the server would look at every session for a page of them, as MongoDB itself does not. */
async function scans(sessions: MongodbCollection): Promise<boolean> {
  const page = sessions.find({ _id: { $gt: '' } }, { sort: { _id: 1 }, limit: 1 })
  return JSON.stringify(await page.explain()).includes('"COLLSCAN"')
}
