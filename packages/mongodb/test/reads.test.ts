import { mongodbReplicaSet, mongodbStandalone, useService } from '@holdfast/services'
import { MongoClient } from 'mongodb'
import * as runner from 'vitest'
import { describe, expect, it } from 'vitest'
import { mongodbStorage, openMongodb } from '../src/index.ts'
import { urlOf } from './support/database.ts'
import { record } from './support/record.ts'

const replicaSet = await useService(mongodbReplicaSet, runner)
if (replicaSet) {
  it.each([
    'readPreference=secondary&w=0',
    'readPreference=secondary&maxStalenessSeconds=120&w=1',
    'readPreferenceTags=dc:ny&readPreference=nearest&readConcernLevel=available',
  ])(`${replicaSet.version}: openMongodb with %s reads what it wrote`, async (options) => {
    const storage = await openMongodb(urlOf(replicaSet, undefined, options))
    await storage.memory('a').addUserInput('one')
    expect(await storage.memory('a').getItems()).toHaveLength(1)
    await storage.close()
  })

  describe(`${replicaSet.version}, linearizable reads`, () => {
    it('are asked for where they are wanted, with an end', async () => {
      const client = new MongoClient(urlOf(replicaSet), { monitorCommands: true })
      const options = { readConcern: 'linearizable', timeoutMs: 9_000 } as const
      const storage = await mongodbStorage(client.db(), options)
      const sent = await record(client, async () => {
        await storage.memory('a').addUserInput('one')
        expect(await storage.memory('a').getItems()).toHaveLength(1)
      })
      const reads = sent.filter(({ name }) => name === 'find')
      expect(reads.length).toBeGreaterThan(0)
      for (const { command } of reads) {
        expect(command['readConcern']).toMatchObject({ level: 'linearizable' })
        expect(command['maxTimeMS']).toBe(9_000)
      }
      await client.close()
    })
  })
}

const standalone = await useService(mongodbStandalone, runner)
if (standalone) {
  it(`${standalone.version}: openMongodb opens, closes, and opens again what is stored`, async () => {
    const url = urlOf(standalone)
    const one = await openMongodb(url)
    await one.memory('a').addUserInput('one')
    await one.close()
    await expect(one.memory('a').getItems()).rejects.toMatchObject({ code: 'CLOSED' })
    const two = await openMongodb(url, { collection: 'holdfast' })
    expect(await two.memory('a').getItems()).toHaveLength(1)
    const other = await openMongodb(url, { collection: 'other' })
    expect(await other.memory('a').getItems()).toEqual([])
    await two.close()
    await other.close()
  })
}
