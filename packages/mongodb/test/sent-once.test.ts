import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage } from '../src/index.ts'
import { clients } from './support/clients.ts'
import { CuttingProxy } from './support/cutting-proxy.ts'
import { freshName, urlBehind, urlOf } from './support/database.ts'
import { failure } from './support/failure.ts'
import { record } from './support/record.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
/** What a second attempt may meet behind a first one that was applied, and each is a refusal if it stands alone. */
const REFUSALS = [
  ['the user may no longer write', 13],
  ['the disk is full', 14031],
  ['the document is too large', 10334],
  ['a validator says no', 121],
  ['it is a duplicate', 11000],
] as const

for (const server of servers) {
  if (!server?.owned) continue
  for (const [name, { MongoClient }] of Object.entries(clients)) {
    describe(`${server.version}, ${name}, with retryWrites=true`, () => {
      const failing = (failCommands: readonly string[], errorCode: number) => ({
        configureFailPoint: 'failCommand',
        data: { failCommands, errorCode },
      })

      it.each(REFUSALS)(
        'knows of a write that was applied where, sent again, %s',
        async (_, code) => {
          const proxy = await CuttingProxy.open(Number(new URL(server.url).port))
          const client = new MongoClient(urlBehind(server, proxy.port, 'retryWrites=true'))
          const storage = await mongodbStorage(client.db())
          const admin = client.db('admin')
          const memory = storage.memory('a')
          for (const [text, command] of [
            ['created', 'insert'],
            ['added', 'update'],
          ] as const) {
            await admin.command({ ...failing([command], code), mode: { skip: 1 } })
            let seen = 0
            proxy.lose((name) => name === command && ++seen === 1)
            try {
              await memory.addUserInput(text)
            } finally {
              await admin.command({ configureFailPoint: 'failCommand', mode: 'off' })
            }
          }
          expect(proxy.lost).toBe(2)
          expect(await storage.memory('a').getItems()).toMatchObject([{}, {}])
          await client.close()
          await proxy.close()
        },
      )

      it('tells of a write that was refused at once that it is not committed', async () => {
        const client = new MongoClient(urlOf(server, freshName(), 'retryWrites=true'))
        const storage = await mongodbStorage(client.db())
        const admin = client.db('admin')
        const memory = storage.memory('a')
        for (const text of ['created', 'added']) {
          await admin.command({ ...failing(['insert', 'update'], 13), mode: { times: 1 } })
          const error = await failure(memory.addUserInput('refused'))
          expect(error).toMatchObject({ code: 'STORAGE_FAILED', outcome: 'not-committed' })
          await memory.addUserInput(text)
        }
        expect(await storage.memory('a').getItems()).toHaveLength(2)
        await client.close()
      })

      it('leaves no write for the client to send again', async () => {
        const url = urlOf(server, freshName(), 'retryWrites=true')
        const client = new MongoClient(url, { monitorCommands: true })
        // The classes of two copies of the client have no common type, and the events are the same.
        const sent = await record(client as never, async () => {
          const storage = await mongodbStorage(client.db(), { ttlMs: 600_000 })
          const memory = storage.memory('a')
          for (let i = 0; i < 12; i++) await memory.addUserInput('x'.repeat(20_000))
          await storage.deleteMemory('a')
          await storage.purge()
        })
        const writes = sent.filter(({ name }) => /^(insert|update|delete)$/.test(name))
        expect(new Set(writes.map(({ name }) => name)).size).toBe(3)
        // With this number the server knows a repetition, so the client has one only where it may repeat.
        for (const { command } of writes) expect(command).not.toHaveProperty('txnNumber')
        await client.close()
      })
    })
  }
}
