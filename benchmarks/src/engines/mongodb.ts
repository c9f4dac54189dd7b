import { mongodbStorage } from '@holdfast/mongodb'
import type { Service } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import { bareMongodb, MONGODB_APPEND } from '../bare/mongodb.ts'
import type { Engine } from '../engine.ts'
import { freshName } from '../fresh-name.ts'
import { versionOf } from '../versions.ts'
import { throughProxy } from '../wire.ts'

/** So that no heartbeat is counted among the bytes of an append, nor slows one down. */
const QUIET = { heartbeatFrequencyMS: 3_600_000, serverMonitoringMode: 'poll' } as const

async function open(url: string, collection: string, options: { directConnection?: true } = {}) {
  const client = new MongoClient(url, { ...QUIET, ...options })
  await client.connect()
  return {
    storage: await mongodbStorage(client.db(), { collection }),
    bare: await bareMongodb(client.db(), `${collection}_bare`),
    close: () => client.close(),
  }
}

export async function mongodbEngine({ url, version }: Service): Promise<Engine> {
  const collection = freshName()
  return {
    name: 'MongoDB',
    version: `${version}, ${versionOf('mongodb')}`,
    bareAppend: MONGODB_APPEND,
    goals: { append: 1.3, roundTrips: 1 },
    ...(await open(url, collection)),
    // A replica set tells its own addresses, past the proxy: the client must not ask for them.
    wired: () =>
      throughProxy(withoutReplicaSet(url), (proxied) =>
        open(proxied, collection, { directConnection: true }),
      ),
  }
}

function withoutReplicaSet(url: string): string {
  const direct = new URL(url)
  direct.searchParams.delete('replicaSet')
  return direct.href
}
