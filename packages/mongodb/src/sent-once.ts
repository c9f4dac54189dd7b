import { type MongodbDatabase, PLAIN } from './client.ts'

/**
 * The writes of one collection. Filters and updates are built here, from strings, numbers and dates alone.
 * The numbers answered are those of the documents that a write found.
 */
export interface Writes {
  insertOne(document: object): Promise<void>
  updateOne(filter: object, update: object, options?: { readonly upsert: true }): Promise<number>
  deleteOne(filter: object): Promise<number>
  deleteMany(filter: object): Promise<number>
}

/** A write that the majority does not have in its journal is not stored. */
export const WRITE_CONCERN = { w: 'majority', j: true } as const

/**
 * Writes as commands, each of which the client sends once. Its own methods it would send again by itself where
 * an answer was lost (`retryWrites`), and then tell of the second attempt alone: "refused", say, of what the
 * first one stored. Whoever repeats that stores it twice. Core sends again, and knows what it sent.
 */
export function sentOnce(db: MongodbDatabase, collection: string): Writes {
  const send = async (command: object): Promise<number> => {
    const guarded = { ...command, ordered: true, writeConcern: WRITE_CONCERN }
    const answer: Answer = await db.command(guarded, { ...PLAIN, readPreference: 'primary' })
    const { n = 0, writeConcernError, writeErrors: [refused] = [] } = answer
    // The clients that were looked at throw this one by themselves.
    if (writeConcernError) throw new WriteError('MongoWriteConcernError', writeConcernError)
    if (refused) throw new WriteError('MongoServerError', refused)
    return n
  }
  const remove = (q: object, limit: 0 | 1) => send({ delete: collection, deletes: [{ q, limit }] })
  return {
    async insertOne(document) {
      await send({ insert: collection, documents: [document] })
    },
    updateOne: (q, u, options) =>
      send({ update: collection, updates: [{ q, u, multi: false, ...options }] }),
    deleteOne: (filter) => remove(filter, 1),
    deleteMany: (filter) => remove(filter, 0),
  }
}

interface Answer {
  readonly n?: number
  readonly writeErrors?: readonly ServerError[]
  readonly writeConcernError?: ServerError
}

interface ServerError {
  readonly code?: number
  readonly errmsg?: string
  /** The index that a duplicate was found in. */
  readonly keyPattern?: object
}

/** What an answer says against a write, as the client's own methods throw it. */
class WriteError extends Error {
  readonly code: number | undefined
  readonly keyPattern: object | undefined

  constructor(name: string, { code, errmsg, keyPattern }: ServerError) {
    super(errmsg)
    this.name = name
    this.code = code
    this.keyPattern = keyPattern
  }
}
