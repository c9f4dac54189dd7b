import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { record, type Sent } from './support/record.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const INDEX = /IXSCAN|IDHACK|EXPRESS/

/** What of a command the server explains. */
function explainable({ name, command }: Sent): Record<string, unknown> {
  const kept = ['filter', 'projection', 'sort', 'limit', 'singleBatch', 'updates', 'deletes']
  return Object.fromEntries(
    Object.entries(command).filter(([key]) => key === name || kept.includes(key)),
  )
}

/** The filters that a command looks for documents by. */
function filters({ command }: Sent): Record<string, unknown>[] {
  const { filter, updates, deletes } = command as { [key: string]: never }
  return filter ? [filter] : [...(updates ?? deletes ?? [])].map(({ q }) => q)
}

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, queries`, () => {
    it('each uses an index', async () => {
      await withDatabase(server, async (db, url) => {
        const client = new MongoClient(url, { monitorCommands: true })
        for (const ttlMs of [undefined, 600_000]) {
          const storage = await mongodbStorage(client.db(), { ttlMs })
          const sent = await record(client, async () => {
            const memory = storage.memory('a')
            for (let i = 0; i < 5; i++) await memory.addUserInput('x'.repeat(30_000))
            await storage.memory('a').getItems()
            await storage.listMemories({ limit: 20 })
            await storage.listMemories({ after: 'a', limit: 20 })
            const fresh = await mongodbStorage(client.db(), { ttlMs, setup: false })
            await fresh.memory('a').getItems()
            await fresh.deleteMemory('a')
            await fresh.purge()
          })
          const queries = sent.filter(({ name }) => /^(find|update|delete)$/.test(name))
          expect(new Set(queries.map(({ name }) => name)).size).toBe(3)
          for (const query of queries) {
            // Each is by `_id`, or by the index of `setup`, which `explain` confirms.
            for (const filter of filters(query)) {
              expect(Object.keys(filter)[0]).toMatch(/^(_id|session)$/)
            }
            if (query.name !== 'find' && /Secantus/.test(server.version)) continue
            const plan = await db.command({
              explain: explainable(query),
              verbosity: 'queryPlanner',
            })
            const text = JSON.stringify(plan['queryPlanner'])
            expect(text).toMatch(INDEX)
            expect(text).not.toContain('COLLSCAN')
          }
        }
        await client.close()
      })
    })

    // SecantusDB explains each update and delete as a scan, whatever it does: there the time tells.
    it('a write takes as long among 5,000 sessions as among few', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db)
        const write = async (count: number) => {
          const began = performance.now()
          for (let i = 0; i < count; i++) await storage.memory(`w${i % 5}`).addUserInput('x')
          return performance.now() - began
        }
        await write(10)
        const few = await write(40)
        const many = Array.from({ length: 5_000 }, (_, i) => ({
          ...{ _id: `m0:${i}` as never, v: 1, revision: 'r', guard: 'g', head: '{}' },
          ...{ segments: [], skip: 0, entries: ['x'.repeat(300)] },
        }))
        await db.collection('holdfast_sessions').insertMany(many)
        // A scan of 5,000 documents takes SecantusDB some 200 ms each time, a write some 10.
        expect(await write(40)).toBeLessThan(few * 5)
      })
    })
  })
}
