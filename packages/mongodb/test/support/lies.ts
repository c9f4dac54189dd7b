import type { MongodbCollection, MongodbDatabase } from '../../src/index.ts'

type Methods = Partial<MongodbCollection>
/** Makes of an honest collection one that lies in one way. */
export type Lie = (honest: MongodbCollection) => Methods

const only = (filter: object) => ({ _id: Object(filter)._id })

/** What servers were seen to do, or could: each answers every test in sequence as it should. */
export const lies: Record<string, Lie> = {
  'tells every racing update that it took place': (honest) => ({
    async updateOne(...args) {
      return { ...(await honest.updateOne(...args)), matchedCount: 1, modifiedCount: 1 }
    },
  }),
  'lets late updates overwrite': (honest) => ({
    updateOne: (filter, ...rest) => honest.updateOne(only(filter), ...rest),
  }),
  'tells no update that it took place': (honest) => ({
    async updateOne(...args) {
      await honest.updateOne(...args)
      return { matchedCount: 0, modifiedCount: 0 }
    },
  }),
  'tells of an update that did not take place': () => {
    const taken = new Set<string>()
    return {
      async updateOne(filter) {
        const key = JSON.stringify(filter)
        const won = taken.has(key) ? 0 : 1
        taken.add(key)
        return { matchedCount: won, modifiedCount: won }
      },
    }
  },
  'ignores $slice': (honest) => ({
    updateOne(filter, update, ...rest) {
      const { entries } = Object(update).$push
      const $push = { entries: { $each: entries.$each } }
      return honest.updateOne(filter, { ...update, $push }, ...rest)
    },
  }),
  'takes a second document of one _id': (honest) => ({
    async insertOne(document, ...rest) {
      try {
        return await honest.insertOne(document, ...rest)
      } catch {
        return {}
      }
    },
  }),
  'removes whatever the condition': (honest) => ({
    deleteOne: (filter, ...rest) => honest.deleteOne(only(filter), ...rest),
  }),
  'tells every racing removal that it took place': (honest) => ({
    async deleteOne(...args) {
      const { deletedCount } = await honest.deleteOne(...args)
      const stale = JSON.stringify(args[0]).includes('"$eq":"0"')
      return { deletedCount: stale ? deletedCount : 1 }
    },
  }),
}

/** `db` with collections that lie; with none to tell, one that is wrapped and honest. */
export function lying(db: MongodbDatabase, lie: Lie = () => ({})): MongodbDatabase {
  const methods = [
    'findOne',
    'find',
    'insertOne',
    'updateOne',
    'deleteOne',
    'deleteMany',
    'createIndex',
  ] as const
  return {
    databaseName: db.databaseName,
    command: (...args) => db.command(...args),
    createCollection: (...args) => db.createCollection(...args),
    listCollections: (...args) => db.listCollections(...args),
    collection(...args) {
      const honest = db.collection(...args)
      const bound = methods.map((name) => [name, honest[name].bind(honest)] as const)
      return { ...Object.fromEntries(bound), ...lie(honest) } as MongodbCollection
    },
  }
}
