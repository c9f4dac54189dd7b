/** What is used of a collection. Its writes are not: see `sentOnce`. */
export interface MongodbCollection {
  /** The client's own. */
  findOne(filter: object, options?: object): Promise<unknown>
  /** The client's own. */
  find(filter: object, options?: object): MongodbCursor
  /** The client's own. */
  createIndex(keys: Record<string, 1>, options?: object): Promise<string>
}

/** What is used of a cursor. */
export interface MongodbCursor {
  /** All that is left. */
  toArray(): Promise<readonly unknown[]>
  /** How the server runs it. */
  explain(): Promise<unknown>
}

/**
 * What is used of a database of the client `mongodb`: `client.db('agents')`. Described by its methods, so
 * that no version of the client is named here.
 */
export interface MongodbDatabase {
  /** Its name. */
  readonly databaseName: string
  /** A collection by its name, with settings of its own. */
  collection(name: string, options?: object): MongodbCollection
  /** Runs any command. */
  command(command: object, options?: object): Promise<object>
  /** The client's own. */
  createCollection(name: string, options?: object): Promise<unknown>
  /** The client's own. */
  listCollections(filter?: object, options?: object): Pick<MongodbCursor, 'toArray'>
}

/** How values cross, whatever the defaults of the client are: plain ones, both ways. */
export const PLAIN = {
  raw: false,
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: false,
  useBigInt64: false,
  bsonRegExp: false,
  fieldsAsRaw: {},
  ignoreUndefined: false,
  serializeFunctions: false,
  enableUtf8Validation: true,
} as const
