import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { failure } from './support/failure.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const past = new Date(Date.now() - 86_400_000)

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, a session in a layout that this version does not know`, () => {
    it.each([2, 7])('(%d) is UNSUPPORTED, is not changed, and hides no other', async (v) => {
      await withDatabase(server, async (db) => {
        const sessions = db.collection<{ _id: string }>('holdfast_sessions')
        const ttlMs = 600_000
        const known = await mongodbStorage(db, { ttlMs })
        for (const id of ['a', 'b', 'c']) await known.memory(id).addUserInput('x')
        // Later fields of the same names may mean something else: expired, it seems, and of no text.
        const changed = { v, guard: 'g', head: 7, entries: { newest: [] }, expiresAt: past }
        await sessions.updateOne({ _id: 'm0:b' }, { $set: changed })
        const stored = await sessions.findOne({ _id: 'm0:b' })
        const fresh = await mongodbStorage(db, { ttlMs })
        for (const storage of [known, fresh]) {
          for (const use of [
            () => storage.memory('b').getItems(),
            () => storage.memory('b').addUserInput('y'),
            () => storage.memory('b').clear(),
            () => storage.deleteMemory('b'),
          ]) {
            const error = await failure(use())
            expect(error).toMatchObject({ code: 'UNSUPPORTED' })
            expect(error.message).toContain('"m0:b"')
            expect(error.message).toMatch(/layout .*layout 1.*Upgrade it/)
          }
          const { memories } = await storage.listMemories()
          expect(memories.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
        }
        expect(await sessions.findOne({ _id: 'm0:b' })).toEqual(stored)
        await known.memory('a').addUserInput('y')
        expect(await fresh.memory('a').getItems()).toHaveLength(2)
      })
    })
  })
}
