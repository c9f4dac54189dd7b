import type { MongodbDatabase } from '../../src/index.ts'

/** A write as it is sent: one of the three is there. */
interface Command {
  readonly insert?: string
  readonly updates?: readonly { readonly q: object; readonly u: object }[]
  readonly deletes?: readonly { readonly q: object }[]
}
type Send = (command: Command) => Promise<object>
/** Makes of an honest server one that lies in one way. */
export type Lie = (honest: Send) => Send

const only = (filter: object) => ({ _id: Object(filter)._id })

/** What servers were seen to do, or could: each answers every test in sequence as it should. */
export const lies: Record<string, Lie> = {
  'tells every racing update that it took place': (honest) => async (command) => {
    const answer = await honest(command)
    return command.updates ? { ...answer, n: 1 } : answer
  },
  'lets late updates overwrite': (honest) => (command) => {
    const updates = command.updates?.map((one) => ({ ...one, q: only(one.q) }))
    return honest({ ...command, ...(updates && { updates }) })
  },
  'tells no update that it took place': (honest) => async (command) => {
    const answer = await honest(command)
    return command.updates ? { ...answer, n: 0 } : answer
  },
  'tells of an update that did not take place': (honest) => {
    const taken = new Set<string>()
    return async (command) => {
      if (!command.updates) return honest(command)
      const key = JSON.stringify(command.updates.map(({ q }) => q))
      const n = taken.has(key) ? 0 : 1
      taken.add(key)
      return { n }
    }
  },
  'ignores $slice': (honest) => (command) => {
    const updates = command.updates?.map((one) => {
      const { $each } = Object(one.u).$push.entries
      return { ...one, u: { ...one.u, $push: { entries: { $each } } } }
    })
    return honest({ ...command, ...(updates && { updates }) })
  },
  'takes a second document of one _id': (honest) => async (command) => {
    const answer = await honest(command)
    return command.insert ? { n: 1 } : answer
  },
  'removes whatever the condition': (honest) => (command) => {
    const deletes = command.deletes?.map((one) => ({ ...one, q: only(one.q) }))
    return honest({ ...command, ...(deletes && { deletes }) })
  },
  'tells every racing removal that it took place': (honest) => async (command) => {
    const answer = await honest(command)
    const stale = JSON.stringify(command).includes('"$eq":"0"')
    return command.deletes && !stale ? { ...answer, n: 1 } : answer
  },
}

/** `db` of a server that lies about writes; with none to tell, one that is wrapped and honest. */
export function lying(db: MongodbDatabase, lie: Lie = (honest) => honest): MongodbDatabase {
  const send = lie((command) => db.command(command))
  return {
    databaseName: db.databaseName,
    command: (command, options) =>
      ['insert', 'update', 'delete'].some((name) => name in command)
        ? send(command)
        : db.command(command, options),
    createCollection: (...args) => db.createCollection(...args),
    listCollections: (...args) => db.listCollections(...args),
    collection: (...args) => db.collection(...args),
  }
}
