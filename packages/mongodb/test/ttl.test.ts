import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbDriver, mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const TTL_MS = 600_000
interface Session {
  readonly _id: string
  readonly expiresAt?: Date
}
const past = { $set: { expiresAt: new Date(Date.now() - 1_000) } }

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, ttlMs`, () => {
    it('moves the time of expiry with each write, and with no read', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db, { ttlMs: TTL_MS })
        const sessions = db.collection<Session>('holdfast_sessions')
        const expiry = async () => Number((await sessions.findOne())?.expiresAt?.getTime())
        const began = Date.now()
        await storage.memory('a').addUserInput('one')
        const first = await expiry()
        expect(first).toBeGreaterThanOrEqual(began + TTL_MS)
        expect(first).toBeLessThanOrEqual(Date.now() + TTL_MS)
        await storage.memory('a').getItems()
        expect(await expiry()).toBe(first)
        await new Promise((resolve) => setTimeout(resolve, 20))
        await storage.memory('a').addUserInput('two')
        expect(await expiry()).toBeGreaterThan(first)
      })
    })

    it('an expired session that the server still has is absent, and its id is free', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db, { ttlMs: TTL_MS })
        const sessions = db.collection<Session>('holdfast_sessions')
        for (const id of ['a', 'b', 'c', 'd', 'e']) await storage.memory(id).addUserInput('old')
        await sessions.updateMany({ _id: { $in: ['m0:a', 'm0:b', 'm0:d'] } }, past)
        const ids = async (limit: number) =>
          (await storage.listMemories({ limit })).memories.map(({ id }) => id)
        expect(await ids(1)).toEqual(['c'])
        expect(await ids(2)).toEqual(['c', 'e'])
        expect(await ids(100)).toEqual(['c', 'e'])
        // Read by one that has seen it, added to by one that has seen it, and by one that has not.
        expect(await storage.memory('a').getItems()).toEqual([])
        expect(await sessions.findOne({ _id: 'm0:a' })).toBeNull()
        await storage.memory('b').addUserInput('new')
        expect(await storage.memory('b').getItems()).toHaveLength(1)
        const other = await mongodbStorage(db, { ttlMs: TTL_MS })
        await other.memory('d').addUserInput('new')
        expect(await storage.memory('d').getItems()).toHaveLength(1)
        expect(await ids(100)).toEqual(['b', 'c', 'd', 'e'])
      })
    })

    it('a write to an expired session is refused, and changes nothing', async () => {
      await withDatabase(server, async (db) => {
        const driver = await mongodbDriver(db, { ttlMs: TTL_MS })
        const sessions = db.collection<Session>('holdfast_sessions')
        await driver.replace('m0:a', { revision: '1', head: '{}', entries: ['"x"'] }, null)
        await sessions.updateOne({ _id: 'm0:a' }, past)
        const before = await sessions.findOne()
        const change = { revision: '2', head: '{}', drop: 0, entries: ['"y"'] }
        expect(await driver.append?.('m0:a', change, { revision: '1' })).toBe(false)
        expect(await sessions.findOne()).toEqual(before)
      })
    })

    it('a session expires whole: a purge removes the segments it had', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db, { ttlMs: TTL_MS })
        const sessions = db.collection<Session>('holdfast_sessions')
        const segments = db.collection('holdfast_segments')
        for (const id of ['gone', 'stays']) {
          for (let i = 0; i < 4; i++) await storage.memory(id).addUserInput('x'.repeat(30_000))
        }
        const each = await segments.countDocuments({ session: 'm0:stays' })
        expect(each).toBeGreaterThan(0)
        await sessions.deleteOne({ _id: 'm0:gone' })
        await segments.updateMany({}, { $set: { at: new Date(Date.now() - 8 * 86_400_000) } })
        expect(await storage.purge()).toMatchObject({ kept: 0 })
        expect(await segments.countDocuments({ session: 'm0:gone' })).toBe(0)
        expect(await segments.countDocuments({ session: 'm0:stays' })).toBe(each)
        expect(await storage.memory('stays').getItems()).toHaveLength(4)
      })
    })

    it('without it a session lives for ever, also one that was to expire', async () => {
      await withDatabase(server, async (db) => {
        const mortal = await mongodbStorage(db, { ttlMs: TTL_MS })
        await mortal.memory('a').addUserInput('one')
        const eternal = await mongodbStorage(db)
        await eternal.memory('a').addUserInput('two')
        const [document] = await db.collection('holdfast_sessions').find().toArray()
        expect(document).not.toHaveProperty('expiresAt')
      })
    })
  })
}
