import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage, openMongodb } from '../src/index.ts'
import { urlOf } from './support/database.ts'
import { failure } from './support/failure.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]

for (const server of servers) {
  if (!server) continue
  describe.skipIf(!server.owned)(
    `${server.version}${server.owned ? '' : ' is not ours to kill'}`,
    () => {
      it('killed and restarted: typed errors, then all that was acknowledged', async () => {
        const storage = await openMongodb(urlOf(server), { timeoutMs: 1_000, attempts: 2 })
        const acknowledged: string[] = []
        const memory = storage.memory('a')
        const add = async (text: string) => {
          await memory.addUserInput(text)
          acknowledged.push(text)
        }
        for (let i = 0; i < 10; i++) await add(`before ${i}`)
        // Some are under way when the server goes.
        const open = Array.from({ length: 5 }, (_, i) => add(`during ${i}`).then(() => undefined))
        await server.kill()
        const ended = await Promise.allSettled(open)
        const error = await failure(add('while it is down'))
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
        expect(await failure(storage.listMemories())).toMatchObject({ code: 'STORAGE_FAILED' })
        for (const one of ended) {
          if (one.status === 'rejected')
            expect(one.reason).toMatchObject({ code: 'STORAGE_FAILED' })
        }

        await server.restart()
        await add('after')
        const items = await storage.memory('a').getItems()
        const stored = items.map((item) => JSON.stringify(item))
        for (const text of acknowledged) {
          expect(stored.filter((one) => one.includes(`"${text}"`))).toHaveLength(1)
        }
        await storage.close()
      })

      it('behind a client that is closed: CLOSED', async () => {
        const client = new MongoClient(urlOf(server))
        const storage = await mongodbStorage(client.db())
        await storage.memory('a').addUserInput('x')
        await client.close()
        const failed = await failure(storage.memory('a').addUserInput('y'))
        expect(failed).toMatchObject({ code: 'CLOSED' })
        expect(await failure(storage.memory('a').getItems())).toMatchObject({ code: 'CLOSED' })
      })
    },
  )
}
