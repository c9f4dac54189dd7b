import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createStorage, MemoryDriver } from '../../src/index.ts'
import { input, sessionOf } from '../sessions/support.ts'
import { CountingDriver } from './counting-driver.ts'

setFlagsFromString('--expose_gc')
const gc = runInNewContext('gc') as () => void

async function heapAfterCollection(): Promise<number> {
  for (let pass = 0; pass < 5; pass++) {
    gc()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return process.memoryUsage().heapUsed
}

it('10,000 memories opened, used and dropped: the heap is back, and an id can be opened anew', async () => {
  const storage = createStorage(new MemoryDriver())
  const round = async (ids: number) => {
    for (let id = 0; id < ids; id++) {
      const memory = storage.memory(`id ${id}`)
      await memory.addUserInput('x'.repeat(2_000))
      await memory.getItems()
      await memory.delete()
    }
    return heapAfterCollection()
  }
  // The tombstones of the driver are there from the first round on.
  await round(10_000)
  const before = await round(10_000)
  const after = await round(10_000)
  expect(after - before).toBeLessThan(2_000_000)
  await storage.memory('id 0').addUserInput('again')
  expect(await storage.memory('id 0').getItems()).toHaveLength(1)
}, 120_000)

it('10,000 sessions saved, loaded and dropped: the heap is back', async () => {
  const store = createStorage(new MemoryDriver()).sessions()
  const round = async () => {
    for (let id = 0; id < 10_000; id++) {
      const snapshot = sessionOf(`id ${id}`, [input(1, 'x'.repeat(2_000))])
      await store.save(snapshot)
      await store.load(snapshot.id)
      await store.delete(snapshot.id)
    }
    return heapAfterCollection()
  }
  await round()
  const before = await round()
  expect((await round()) - before).toBeLessThan(2_000_000)
}, 120_000)

it('a session whose events somebody holds is not read again to be saved', async () => {
  const driver = new CountingDriver()
  const store = createStorage(driver).sessions()
  const events = [input(1, 'x'.repeat(100_000))]
  let { revision } = await store.save(sessionOf('a', events))
  for (let n = 2; n < 5; n++) {
    await heapAfterCollection()
    events.push(input(n, 'y'))
    revision = (await store.save(sessionOf('a', events, { revision }))).revision
  }
  expect(driver.answered).toBe(0)
})
