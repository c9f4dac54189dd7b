import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import type { Db } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbDriver, mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const past = () => new Date(Date.now() - 8 * 86_400_000)
const segment = { name: 'a', count: 1, bytes: 17, level: 0 }
const gone = (field: string) => ({ $unset: { [field]: '' as const } })
const set = (fields: object) => ({ $set: fields })

const DAMAGES = [
  ...['v', 'revision', 'guard', 'head', 'segments', 'skip', 'entries'].map(gone),
  ...[0, '1', null, [2], { $gt: 0 }].map((v) => set({ v, expiresAt: past() })),
  ...[null, 7, { $ne: '' }].flatMap((text) => [
    set({ revision: text }),
    set({ guard: text }),
    set({ head: text }),
  ]),
  ...[null, '0', -1, 0.5].map((skip) => set({ skip })),
  ...[null, 'text', [7], ['1', null], { newest: [] }].map((entries) => set({ entries })),
  ...[null, 'text', {}, [null], ['a'], [{ ...segment, name: 7 }]].map((segments) =>
    set({ segments }),
  ),
  ...['count', 'bytes', 'level'].flatMap((field) =>
    [null, '1', -1, 0.5].map((value) => set({ segments: [{ ...segment, [field]: value }] })),
  ),
  set({ expiresAt: 'soon' }),
]

const sessionsOf = (db: Db) => db.collection<{ _id: string }>('holdfast_sessions')
const segmentsOf = (db: Db) => db.collection<{ _id: string }>('holdfast_segments')

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, a document that is no session`, () => {
    it('is CORRUPT, hides no other, and can be deleted', async () => {
      await withDatabase(server, async (db) => {
        const ttlMs = 600_000
        const known = await mongodbStorage(db, { ttlMs })
        const fresh = await mongodbStorage(db, { ttlMs, setup: false })
        await known.memory('fine').addUserInput('x')
        const damaged = DAMAGES.map((damage, at) => ({
          damage,
          name: JSON.stringify(damage),
          ids: ['a', 'b', 'c'].map((id) => `${at}-${id}`) as [string, string, string],
        }))
        for (const { damage, ids } of damaged) {
          for (const id of ids) await known.memory(id).addUserInput('x'.repeat(70_000))
          const _id = { $in: ids.map((id) => `m0:${id}`) }
          await sessionsOf(db).updateMany({ _id }, damage)
        }
        await segmentsOf(db).updateMany({}, { $set: { at: past() } })
        const stored = () => sessionsOf(db).find().toArray()
        const before = await stored()

        for (const { ids, name } of damaged) {
          const memory = fresh.memory(ids[0])
          for (const use of [
            () => memory.getItems(),
            () => memory.addUserInput('y'),
            () => memory.clear(),
          ]) {
            await expect(use(), name).rejects.toMatchObject({
              code: 'CORRUPT',
              message: expect.stringMatching(new RegExp(`"m0:${ids[0]}".*backup`)),
            })
          }
        }
        const listed = async () =>
          (await fresh.listMemories({ limit: 1_000 })).memories.map(({ id }) => id)
        const all = ['fine', ...damaged.flatMap(({ ids }) => ids)].sort()
        expect(await listed()).toEqual(all)
        // It may be mended.
        expect(await fresh.purge()).toMatchObject({ swept: 0 })
        expect(await stored()).toEqual(before)
        expect(await segmentsOf(db).countDocuments()).toBe(3 * damaged.length)

        for (const { ids, name } of damaged) {
          expect(await fresh.deleteMemory(ids[0]), name).toBe(true)
          expect(await known.deleteMemory(ids[1]), name).toBe(true)
          await fresh.memory(ids[1]).addUserInput('anew')
          expect(await fresh.memory(ids[1]).getItems(), name).toHaveLength(1)
        }
        expect(await fresh.deleteAll()).toBe(1 + 2 * damaged.length)
        expect(await listed()).toEqual([])
        await fresh.purge()
        expect(await segmentsOf(db).countDocuments()).toBe(0)
      })
    }, 60_000)

    it('is deleted as it was read, and not once it was mended', async () => {
      await withDatabase(server, async (db) => {
        const driver = await mongodbDriver(db)
        const session = { revision: 'r1', head: '{}', entries: ['"a"'] }
        const next = { revision: 'r2', head: '{"d":1}', entries: [] }
        await driver.replace('m0:a', session, null)
        const update = (change: object) => sessionsOf(db).updateOne({ _id: 'm0:a' }, change)
        const fresh = await mongodbDriver(db)
        const read = async () => {
          const found = await fresh.read('m0:a')
          if (!found || found === 'unchanged') throw new Error('It is not read.')
          return found
        }
        await update({ $set: { segments: null } })
        const broken = await read()
        await update({ $set: { segments: [] } })
        expect(await fresh.replace('m0:a', next, broken)).toBe(false)
        expect(await read()).toEqual(session)
        // What this one knows is broken, too: it must not be hidden by what it knows.
        await update({ $unset: { v: '' } })
        const again = await read()
        expect(again.head).toBe('')
        await update({ $set: { entries: ['"b"'] } })
        expect(await fresh.replace('m0:a', next, again)).toBe(false)
        expect(await fresh.replace('m0:a', next, await read())).toBeTruthy()
        expect(await read()).toEqual(next)
      })
    })
  })

  describe(`${server.version}, a damaged segment`, () => {
    it.each([{ entries: null }, { entries: 'x' }, { entries: [7] }])(
      '%j: is CORRUPT, and can be deleted',
      async (damage) => {
        await withDatabase(server, async (db) => {
          await (await mongodbStorage(db)).memory('a').addUserInput('x'.repeat(70_000))
          await segmentsOf(db).updateMany({}, { $set: damage })
          const fresh = await mongodbStorage(db)
          await expect(fresh.memory('a').getItems()).rejects.toMatchObject({ code: 'CORRUPT' })
          expect(await fresh.deleteMemory('a')).toBe(true)
        })
      },
    )

    it('that does not say how old it is: stays, and stops no purge', async () => {
      await withDatabase(server, async (db) => {
        const storage = await mongodbStorage(db)
        await storage.memory('a').addUserInput('x'.repeat(70_000))
        const [found] = await segmentsOf(db).find().toArray()
        const orphan = (_id: string, at: unknown) => ({ ...found, _id, session: 'm0:b', at })
        await segmentsOf(db).insertMany([orphan('o1', 'then'), orphan('o2', past())])
        expect(await storage.purge()).toMatchObject({ swept: 1 })
        expect(await segmentsOf(db).countDocuments()).toBe(2)
      })
    })
  })
}
