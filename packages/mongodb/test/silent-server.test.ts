import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbDriver, mongodbStorage } from '../src/index.ts'
import { clients } from './support/clients.ts'
import { CuttingProxy } from './support/cutting-proxy.ts'
import { urlBehind } from './support/database.ts'
import { failure } from './support/failure.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
/** Every kind of request that opening sends. */
const STEPS = ['hello', 'create', 'listCollections', 'createIndexes', 'insert', 'update', 'delete']

for (const server of servers) {
  if (!server) continue
  for (const [name, { MongoClient }] of Object.entries(clients)) {
    describe(`${server.version}, ${name}, a server that is connected and silent`, () => {
      it.each(STEPS)('at %s is waited for no longer than timeoutMs', async (step) => {
        const proxy = await CuttingProxy.open(Number(new URL(server.url).port))
        const client = new MongoClient(urlBehind(server, proxy.port))
        await client.connect()
        proxy.swallow((command) => command === step)
        const error = await failure(mongodbStorage(client.db(), { timeoutMs: 700 }))
        expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
        expect(error.message).toMatch(/holdfast_sessions.*did not answer within 700 ms/)
        await client.close()
        await proxy.close()
      })

      it('is waited for where nothing is set up, too', async () => {
        const proxy = await CuttingProxy.open(Number(new URL(server.url).port))
        const client = new MongoClient(urlBehind(server, proxy.port))
        await client.connect()
        proxy.swallow((command) => command === 'listCollections')
        const options = { setup: false, timeoutMs: 700 }
        const error = await failure(mongodbDriver(client.db(), options))
        expect(error.message).toContain('did not answer within 700 ms')
        await client.close()
        await proxy.close()
      })
    })
  }
}
