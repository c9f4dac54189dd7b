import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage, openMongodb } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { failure } from './support/failure.ts'
import { record } from './support/record.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, setup`, () => {
    it('succeeds in ten clients at once, and leaves nothing of its probes', async () => {
      await withDatabase(server, async (db, url) => {
        const storages = await Promise.all(
          Array.from({ length: 10 }, () => openMongodb(url, { ttlMs: 600_000 })),
        )
        expect(await db.collection('holdfast_sessions').countDocuments()).toBe(0)
        await Promise.all(storages.map((one, i) => one.memory(`of ${i}`).addUserInput('x')))
        expect(await db.collection('holdfast_sessions').countDocuments()).toBe(10)
        const indexes = await db.collection('holdfast_sessions').indexes()
        expect(indexes).toContainEqual(
          expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
        )
        expect(await db.collection('holdfast_segments').indexes()).toContainEqual(
          expect.objectContaining({ key: { session: 1, _id: 1 } }),
        )
        for (const one of storages) await one.close()
      })
    })

    it.each([
      ['another default collation', { collation: { locale: 'en', strength: 2 } }, '"en"'],
      ['a size at which it drops documents', { capped: true, size: 100_000 }, 'capped'],
      ['a view instead', { viewOn: 'other', pipeline: [] }, 'view'],
    ])('refuses a collection with %s', async (_, options, word) => {
      await withDatabase(server, async (db, url) => {
        for (const name of ['holdfast_sessions', 'holdfast_segments']) {
          await db.createCollection(name, options)
          for (const setup of [true, false]) {
            const error = await failure(openMongodb(url, { setup }))
            expect(error).toMatchObject({ code: 'UNSUPPORTED' })
            expect(error.message).toContain(name)
            expect(error.message).toContain(word)
          }
          await db.dropCollection(name)
        }
      })
    })

    it('makes nothing and writes nothing when it is turned off', async () => {
      await withDatabase(server, async (db, url) => {
        const client = new MongoClient(url, { monitorCommands: true })
        const sent = await record(client, () => mongodbStorage(client.db(), { setup: false }))
        const names = sent.map(({ name }) => name)
        expect(names).toEqual(['hello', 'listCollections', 'listCollections'])
        expect(await db.listCollections().toArray()).toEqual([])
        await client.close()
      })
    })

    it('says what an index of another kind stands in the way of', async () => {
      await withDatabase(server, async (db, url) => {
        const sessions = db.collection('holdfast_sessions')
        await sessions.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 60 })
        const error = await failure(openMongodb(url, { ttlMs: 600_000 }))
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
        expect(error.message).toContain('holdfast_sessions')
        await (await openMongodb(url)).close()
      })
    })
  })
}
