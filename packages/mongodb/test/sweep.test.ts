import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mongodbDriver, mongodbStorage } from '../src/index.ts'
import { withDatabase } from './support/database.ts'
import { lying } from './support/lies.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const DAY_MS = 86_400_000
const setClock = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

for (const server of servers) {
  if (!server) continue
  describe(`${server.version}, a sweep`, () => {
    afterEach(() => void vi.useRealTimers())

    it.each([
      ['behind', -30 * DAY_MS, 0],
      ['ahead', 30 * DAY_MS, 0],
      ['right, and that of the sweeper ahead', 0, 30 * DAY_MS],
      ['right, and that of the sweeper behind', 0, -30 * DAY_MS],
    ])(
      'keeps what a creation is about to name, and no more: the writer’s clock is %s',
      async (_, writer, sweeper) => {
        await withDatabase(server, async (db) => {
          const entries = Array.from({ length: 5 }, (_, n) => `"${n}${'x'.repeat(30_000)}"`)
          const session = { revision: '1', head: '{}', entries }
          const segments = db.collection('holdfast_segments')
          const sweep = async () => {
            setClock(sweeper)
            const driver = await mongodbDriver(db)
            const swept = await driver.sweep?.({ after: '', before: '~', olderThanMs: 600_000 })
            vi.useRealTimers()
            return swept?.removed
          }
          // In between, when the segments are stored and the head is on its way.
          let removed: number | undefined
          const driver = await mongodbDriver(
            lying(db, (honest) => async (command) => {
              if (command.insert?.endsWith('_sessions') && removed === undefined) {
                const stored = await segments.countDocuments()
                if (stored > 0) {
                  removed = await sweep()
                  setClock(writer)
                }
              }
              return honest(command)
            }),
          )
          setClock(writer)
          expect(await driver.replace('m0:a', session, null)).toBeTruthy()
          vi.useRealTimers()
          expect(removed).toBe(0)
          expect(await driver.read('m0:a')).toEqual(session)

          // Named by none, they are removed when they are old by the clock of the server.
          const count = await segments.countDocuments()
          expect(count).toBeGreaterThan(0)
          await db.collection('holdfast_sessions').deleteMany({})
          const [{ at } = { at: undefined }] = await segments.find().toArray()
          expect(Math.abs(Number(at) - Date.now())).toBeLessThan(DAY_MS)
          expect(await sweep()).toBe(0)
          await segments.updateMany({}, { $set: { at: new Date(Date.now() - 2 * 600_000) } })
          expect(await sweep()).toBe(count)
          expect(await segments.countDocuments()).toBe(0)
        })
      },
    )

    it('refuses a server that does not tell its time', async () => {
      await withDatabase(server, async (db) => {
        const timeless = {
          ...lying(db),
          command: async (command: object) => {
            const { localTime: _, ...answer } = Object(await db.command(command))
            return answer
          },
        }
        const storage = await mongodbStorage(timeless)
        await expect(storage.purge()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
      })
    })
  })
}
