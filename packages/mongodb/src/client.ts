/** What is used of a collection. Filters and updates are built here, from strings and numbers alone. */
export interface MongodbCollection {
  findOne(filter: object, options?: object): Promise<unknown>
  find(filter: object, options?: object): MongodbCursor
  insertOne(document: object, options?: object): Promise<unknown>
  updateOne(
    filter: object,
    update: object,
    options?: object,
  ): Promise<{ readonly matchedCount: number; readonly modifiedCount: number }>
  deleteOne(filter: object, options?: object): Promise<{ readonly deletedCount: number }>
  deleteMany(filter: object, options?: object): Promise<{ readonly deletedCount: number }>
  createIndex(keys: Record<string, 1>, options?: object): Promise<string>
}

/** What is used of a cursor. */
export interface MongodbCursor {
  toArray(): Promise<readonly unknown[]>
  explain(): Promise<unknown>
}

/**
 * What is used of a database of the client `mongodb`: `client.db('agents')`. Described by its methods, so
 * that no version of the client is named here.
 */
export interface MongodbDatabase {
  readonly databaseName: string
  collection(name: string, options?: object): MongodbCollection
  command(command: object, options?: object): Promise<object>
  createCollection(name: string, options?: object): Promise<unknown>
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
