import { HoldfastError } from '@holdfast/core'
import { type MongodbCollection, type MongodbDatabase, PLAIN } from './client.ts'
import type { CheckedOptions } from './options.ts'
import { sentOnce, WRITE_CONCERN, type Writes } from './sent-once.ts'

/** One of the collections. */
export type Documents = MongodbCollection & Writes

/** The two collections, set so that the defaults of client, database and URL count for nothing. */
export interface Collections {
  readonly sessions: Documents
  readonly segments: Documents
  /** What is passed to a read that must see every acknowledged write. */
  readonly strong: object
  /** What the clock of the primary says, in epoch ms. */
  serverTime(): Promise<number>
}

/**
 * Each setting is one that loses or hides data where it is otherwise: a secondary lags; `local` shows what a
 * failover takes back, and what is stored would be built on it.
 */
const SAFE = {
  ...PLAIN,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: WRITE_CONCERN,
} as const

export function collectionsOf(
  db: MongodbDatabase,
  { sessions, segments, readConcern, storage }: CheckedOptions,
): Collections {
  const documents = (name: string): Documents => {
    const collection = db.collection(name, SAFE)
    return {
      find: (...args) => collection.find(...args),
      findOne: (...args) => collection.findOne(...args),
      createIndex: (...args) => collection.createIndex(...args),
      ...sentOnce(db, name),
    }
  }
  return {
    sessions: documents(sessions),
    segments: documents(segments),
    // Without a majority a linearizable read would wait for ever.
    strong:
      readConcern === 'majority'
        ? {}
        : { readConcern: { level: readConcern }, maxTimeMS: Math.ceil(storage.timeoutMs) },
    async serverTime() {
      const said = await db.command({ hello: 1 }, { ...PLAIN, readPreference: 'primary' })
      const { localTime } = said as { localTime?: unknown }
      if (localTime instanceof Date) return localTime.getTime()
      throw new HoldfastError(
        'UNSUPPORTED',
        `The server does not tell its time (localTime, in its answer to hello, is ${typeof localTime}), by which the age of segments is known: use MongoDB itself.`,
      )
    },
  }
}
