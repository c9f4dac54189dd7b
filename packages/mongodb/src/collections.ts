import { type MongodbCollection, type MongodbDatabase, PLAIN } from './client.ts'
import type { CheckedOptions } from './options.ts'

/** The two collections, set so that the defaults of client, database and URL count for nothing. */
export interface Collections {
  readonly sessions: MongodbCollection
  readonly segments: MongodbCollection
  /** What is passed to a read that must see every acknowledged write. */
  readonly strong: object
}

/**
 * Each setting is one that loses or hides data where it is otherwise: a secondary lags; `local` shows what a
 * failover takes back, and what is stored would be built on it; a write that the majority does not have in
 * its journal is not stored.
 */
const SAFE = {
  ...PLAIN,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', j: true },
} as const

export function collectionsOf(
  db: MongodbDatabase,
  { sessions, segments, readConcern, storage }: CheckedOptions,
): Collections {
  return {
    sessions: db.collection(sessions, SAFE),
    segments: db.collection(segments, SAFE),
    // Without a majority a linearizable read would wait for ever.
    strong:
      readConcern === 'majority'
        ? {}
        : { readConcern: { level: readConcern }, maxTimeMS: Math.ceil(storage.timeoutMs) },
  }
}
