import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbDriver, mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { record } from './support/record.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
/** The driver's documents have texts as `_id`. */
interface Named {
  readonly _id: string
  readonly entries?: readonly string[]
}

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, seen by a raw client`, () => {
    it('an item of a memory is one JSON text in one document', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db)
        await storage.memory('user-42').addUserInput('What is the weather in Bern?')
        const [document] = await db.collection<Named>('holdfast_sessions').find().toArray()
        expect(document).toMatchObject({ _id: 'm0:user-42', v: 1, segments: [], skip: 0 })
        expect(document).not.toHaveProperty('expiresAt')
        const entries = document?.entries?.map((text) => JSON.parse(text))
        expect(entries).toMatchObject([{ role: 'user' }])
        expect(await db.collection('holdfast_segments').countDocuments()).toBe(0)
      })
    })

    it('ids and texts that look like operators are themselves', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db)
        const hostile = [
          ...['$gt', '{"$gt":""}', '{$ne:null}', '$where', '$$ROOT', 'a.b', '.', '__proto__'],
          ...['A', 'a', 'a ', 'é', 'e\u0301', '/^a/', '.*', '1', '01', 'constructor', '\u{1f600}'],
        ]
        for (const id of hostile) {
          await storage.memory(id).addUserInput(id)
          await storage.memory(id).addUserInput(`$${id}`)
        }
        const ids = await db.collection<Named>('holdfast_sessions').distinct('_id')
        expect(ids.sort()).toEqual(hostile.map((id) => `m0:${id}`).sort())
        for (const id of hostile) {
          const items = JSON.stringify(await storage.memory(id).getItems())
          expect(items).toContain(JSON.stringify(id))
          expect(items).toContain(JSON.stringify(`$${id}`))
          expect(await storage.memory(id).getItems()).toHaveLength(2)
        }
        const item = { type: 'x', $set: { a: 1 }, 'b.c': '$d', proto: '\ud800 \u0000', '': [] }
        await storage.memory('odd').addOutputItems([item])
        expect(await storage.memory('odd').getItems()).toEqual([item])
        await storage.deleteMemory('$gt')
        expect((await storage.listMemories()).memories).toHaveLength(hostile.length)
      })
    })

    it('a session and an item far above 16 MB are documents far below', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db, { timeoutMs: 60_000 })
        const memory = storage.memory('long')
        const long = 'é'.repeat(10_000_000)
        await memory.addUserInput(long)
        for (let i = 0; i < 3; i++) await memory.addUserInput('x'.repeat(900_000))
        const items = await (await mongodbStorage(db)).memory('long').getItems()
        expect(items).toHaveLength(4)
        expect(JSON.stringify(items[0])).toContain(long)
        const sizes = async (name: string) =>
          (await db
            .collection(name)
            .aggregate([{ $project: { size: { $bsonSize: '$$ROOT' } } }])
            .toArray()) as { size: number }[]
        const heads = await sizes('holdfast_sessions')
        const segments = await sizes('holdfast_segments')
        expect(Math.max(...heads.map(({ size }) => size))).toBeLessThan(100_000)
        expect(Math.max(...segments.map(({ size }) => size))).toBeLessThan(6_000_000)
        const total = segments.reduce((sum, { size }) => sum + size, 0)
        expect(total).toBeGreaterThan(20_000_000)
      })
    })

    it('deleted means that the texts are gone, and after a purge all the rest', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db)
        const memory = storage.memory('secret')
        for (let i = 0; i < 5; i++) await memory.addUserInput(`classified ${'x'.repeat(30_000)}`)
        expect(await db.collection('holdfast_segments').countDocuments()).toBeGreaterThan(0)
        await storage.deleteMemory('secret')
        for (const name of ['holdfast_sessions', 'holdfast_segments']) {
          const all = JSON.stringify(await db.collection(name).find().toArray())
          expect(all).not.toContain('classified')
        }
        const later = Date.now() + 8 * 86_400_000
        const clock = runner.vi.spyOn(Date, 'now').mockReturnValue(later)
        try {
          expect(await storage.purge()).toMatchObject({ removed: 1, kept: 0 })
        } finally {
          clock.mockRestore()
        }
        expect(await db.collection('holdfast_sessions').countDocuments()).toBe(0)
        expect(await db.collection('holdfast_segments').countDocuments()).toBe(0)
      })
    })

    it('an append sends and asks the same at 10 entries and at 10,000', async () => {
      await withDatabase(server, async (_, url) => {
        const client = new MongoClient(url, { monitorCommands: true })
        const driver = await mongodbDriver(client.db())
        const entry = (n: number) => JSON.stringify({ n, text: 'x'.repeat(200) })
        let revision = 'r0'
        const cost = async (length: number) => {
          const entries = Array.from({ length }, (_, n) => entry(n))
          await driver.replace(`m0:${length}`, { revision, head: '{}', entries }, null)
          const costs: { commands: number; bytes: number }[] = []
          for (let i = 0; i < 40; i++) {
            const change = { revision: `${length}.${i}`, head: '{}', drop: 0, entries: [entry(i)] }
            const sent = await record(client, async () => {
              expect(await driver.append?.(`m0:${length}`, change, { revision })).toBeTruthy()
            })
            revision = change.revision
            costs.push({
              commands: sent.length,
              bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0),
            })
          }
          revision = 'r0'
          costs.sort((a, b) => a.bytes - b.bytes)
          return costs[20]
        }
        const short = await cost(10)
        const long = await cost(10_000)
        // One update, which carries the new entry and not those before it.
        expect(short?.commands).toBe(1)
        expect(long?.commands).toBe(1)
        expect(short?.bytes).toBeLessThan(1_000)
        expect(long?.bytes).toBeLessThan(Number(short?.bytes) * 1.2)
        await client.close()
      })
    })
  })
}
