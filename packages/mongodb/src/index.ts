export type { MongodbCollection, MongodbCursor, MongodbDatabase } from './client.ts'
export { mongodbDriver, mongodbStorage } from './mongodb-storage.ts'
export { openMongodb } from './open-mongodb.ts'
export type { MongodbDriverOptions, MongodbOptions } from './options.ts'
