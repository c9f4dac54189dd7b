import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage, openMongodb } from '../src/index.ts'
import { CuttingProxy } from './support/cutting-proxy.ts'
import { freshName, urlBehind, urlOf } from './support/database.ts'

const servers = [
  await useService(mongodbReplicaSet, runner),
  await useService(mongodbStandalone, runner),
]
const COMMANDS = ['insert', 'update', 'delete', 'find'] as const
/** Four of these fill the entries of a head: some appends write a segment, too. */
const LONG = 'x'.repeat(17_000)

const texts = (items: readonly unknown[]) =>
  items.map((item) => JSON.stringify(item).match(/#\d+/)?.[0])
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `#${i}`)

for (const server of servers) {
  if (!server) continue
  for (const retryWrites of [true, false]) {
    describe(`${server.version}, retryWrites=${retryWrites}`, () => {
      it('stores each item once where answers are lost behind the write', async () => {
        const proxy = await CuttingProxy.open(Number(new URL(server.url).port))
        const url = urlBehind(server, proxy.port, `retryWrites=${retryWrites}`)
        const storage = await openMongodb(url)
        let count = 0
        proxy.lose((name) => COMMANDS.some((one) => one === name) && ++count % 3 === 0)
        const memory = storage.memory('a')
        for (const number of numbered(30)) await memory.addUserInput(`${number} ${LONG}`)
        expect(await storage.deleteMemory('a')).toBe(true)
        for (const number of numbered(4)) await memory.addUserInput(`${number} again`)
        proxy.lose(() => false)
        expect(proxy.lost).toBeGreaterThan(10)
        expect(texts(await storage.memory('a').getItems())).toEqual(numbered(4))
        await storage.close()
        await proxy.close()
      })

      if (!server.owned) return
      it.each([
        ['cuts the connection', { closeConnection: true }],
        ['steps down', { errorCode: 11602 }],
        ['is no primary any more', { errorCode: 10107 }],
        ['lost its network', { errorCode: 6 }],
        ['cannot reach the majority', { writeConcernError: { code: 64, errmsg: 'timed out' } }],
      ])('stores each item once where the server %s', async (_, data) => {
        // After some errors the client waits for the next sign of life of the server: 10 s apart by default.
        const options = `retryWrites=${retryWrites}&heartbeatFrequencyMS=500`
        const client = new MongoClient(urlOf(server, freshName(), options))
        const storage = await mongodbStorage(client.db())
        const memory = storage.memory('a')
        for (const [i, number] of numbered(8).entries()) {
          const failCommands = [COMMANDS[i % 4]]
          const point = { configureFailPoint: 'failCommand', data: { ...data, failCommands } }
          await client.db('admin').command({ ...point, mode: { times: 1 + Math.floor(i / 4) } })
          await memory.addUserInput(`${number} ${LONG}`)
          await storage.memory('a').getItems()
        }
        await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' })
        expect(texts(await storage.memory('a').getItems())).toEqual(numbered(8))
        await client.close()
      })
    })
  }
}
