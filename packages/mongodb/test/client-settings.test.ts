import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage } from '../src/index.ts'
import { clients } from './support/clients.ts'
import { freshName, urlOf } from './support/database.ts'
import { record } from './support/record.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]

/** `secondary` alone would let the client itself wait for one when it connects, which a set of one node never has. */
const WEAK = 'readPreference=secondaryPreferred&w=0&journal=false&readConcernLevel=local'
/** Every setting of a client that changes what values look like, or how documents are named. */
const HOSTILE = {
  monitorCommands: true,
  promoteValues: false,
  promoteLongs: true,
  promoteBuffers: true,
  ignoreUndefined: true,
  bsonRegExp: true,
  serializeFunctions: true,
  enableUtf8Validation: false,
  pkFactory: { createPk: () => 'the same for all' },
  forceServerObjectId: true,
}
const settings: Record<string, object> = {
  'that weaken everything': HOSTILE,
  'with big integers': {
    ...HOSTILE,
    promoteValues: true,
    useBigInt64: true,
  },
  'with raw answers': { monitorCommands: true, raw: true },
}

for (const server of servers) {
  if (!server) continue
  for (const [name, { MongoClient }] of Object.entries(clients)) {
    describe(`${server.version}, ${name}, settings of the client`, () => {
      it.each(Object.entries(settings))('%s count for nothing', async (_, given) => {
        const client = new MongoClient(urlOf(server, freshName(), WEAK), given)
        // The classes of two copies of the client have no common type, and the events are the same.
        const sent = await record(client as never, async () => {
          const storage = await mongodbStorage(client.db())
          const memory = storage.memory('a', {})
          await memory.addUserInput('one')
          await memory.addUserInput('x'.repeat(100_000))
          await memory.addUserInput('two')
          expect(await storage.memory('a').getItems()).toHaveLength(3)
          expect((await storage.listMemories()).memories).toMatchObject([{ id: 'a' }])
          const again = await mongodbStorage(client.db(), { setup: false })
          expect(await again.memory('a').getItems()).toEqual(await memory.getItems())
          await storage.deleteMemory('a')
          expect(await again.memory('a').getItems()).toEqual([])
        })
        const writes = sent.filter(({ name }) => /^(insert|update|delete)$/.test(name))
        const reads = sent.filter(({ name }) => name === 'find')
        expect(writes.length).toBeGreaterThan(4)
        expect(reads.length).toBeGreaterThan(2)
        for (const { command } of writes) {
          expect(command['writeConcern']).toMatchObject({ w: 'majority', j: true })
        }
        for (const { command } of reads) {
          expect(command['readConcern']).toMatchObject({ level: 'majority' })
        }
        for (const { command } of sent) {
          const mode = Object(command['$readPreference']).mode ?? 'primary'
          // A server without a replica set is asked with "primaryPreferred" by the client itself.
          expect(['primary', 'primaryPreferred']).toContain(mode)
        }
        await client.db().dropDatabase({ writeConcern: { w: 1 } })
        await client.close()
      })
    })
  }
}
