import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createStorage, MemoryDriver } from '../../src/index.ts'

it('10,000 memories opened, used and dropped: the heap is back, and an id can be opened anew', async () => {
  setFlagsFromString('--expose_gc')
  const gc = runInNewContext('gc') as () => void
  const storage = createStorage(new MemoryDriver())
  const round = async (ids: number) => {
    for (let id = 0; id < ids; id++) {
      const memory = storage.memory(`id ${id}`)
      await memory.addUserInput('x'.repeat(2_000))
      await memory.getItems()
      await memory.delete()
    }
    for (let pass = 0; pass < 5; pass++) {
      gc()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return process.memoryUsage().heapUsed
  }
  // The tombstones of the driver are there from the first round on.
  await round(10_000)
  const before = await round(10_000)
  const after = await round(10_000)
  expect(after - before).toBeLessThan(2_000_000)
  await storage.memory('id 0').addUserInput('again')
  expect(await storage.memory('id 0').getItems()).toHaveLength(1)
}, 120_000)
