import { describe, expect, it } from 'vitest'
import {
  createStorage,
  MemoryDriver,
  type MemorySnapshot,
  WindowedMemoryCompressor,
} from '../../src/index.ts'
import { texts } from '../texts.ts'
import { FaultyDriver } from './faulty-driver.ts'

const setUp = () => {
  const driver = new MemoryDriver()
  return {
    driver,
    memory: createStorage(driver).memory('a'),
    rival: createStorage(driver).memory('a'),
  }
}

const entries = async (driver: MemoryDriver) => {
  const stored = await driver.read('m0:a')
  return stored && stored !== 'unchanged' ? stored.entries : []
}

describe('what a change costs', () => {
  it('a window is one append with a drop, and keeps the summary that lies in the cut prefix', async () => {
    const { driver, memory, rival } = setUp()
    const replaced: string[] = []
    const replace = driver.replace.bind(driver)
    driver.replace = (id, next, expected) => {
      replaced.push(id)
      return replace(id, next, expected)
    }
    await memory.setSummary('kept')
    await memory.setCompressor(new WindowedMemoryCompressor(2))
    for (const text of ['1', '2', '3', '4']) await memory.addUserInput(text)
    expect(texts(await rival.getItems())).toEqual(['kept', '3', '4'])
    expect(replaced).toHaveLength(1)
  })

  it('dead summaries are bounded, and a removed one leaves no text behind', async () => {
    const { driver, memory } = setUp()
    await memory.addUserInput('x')
    for (let round = 0; round < 100; round++) await memory.setSummary(`secret ${round}`)
    expect((await entries(driver)).length).toBeLessThan(25)
    await memory.setSummary(undefined)
    expect(JSON.stringify(await entries(driver))).not.toContain('secret')
    await memory.setSummary('secret')
    await memory.clear()
    expect(await entries(driver)).toEqual([])
    expect(await memory.snapshot()).toEqual({ items: [] })
  })

  it('a change to the same state writes nothing', async () => {
    const { driver, memory } = setUp()
    await memory.clear()
    await memory.setSummary(undefined)
    expect(await driver.read('m0:a')).toBeNull()
    await memory.addUserInput('x')
    await memory.setSummary('s')
    const before = await driver.read('m0:a')
    await memory.setSummary('s')
    await memory.update((current) => current)
    await memory.restore(await memory.snapshot())
    expect(await driver.read('m0:a')).toEqual(before)
  })

  it('handles of one id share one identity; other ids and storages do not', () => {
    const storage = createStorage(new MemoryDriver())
    expect(storage.memory('a').identity).toBe(storage.memory('a').identity)
    expect(storage.scope('s').memory('a').identity).toBe(storage.scope('s').memory('a').identity)
    expect(storage.memory('a').identity).not.toBe(storage.memory('b').identity)
    expect(storage.memory('a').identity).not.toBe(storage.scope('s').memory('a').identity)
  })
})

describe('adopt', () => {
  const snapshot: MemorySnapshot = { items: [{ type: 'message' }], summary: 's' }

  it('installs only where nothing was ever stored', async () => {
    const { memory, rival } = setUp()
    expect(await memory.adopt(snapshot)).toBe(true)
    expect(await rival.adopt({ items: [] })).toBe(false)
    expect(await rival.snapshot()).toEqual(snapshot)
    await memory.delete()
    expect(await rival.adopt(snapshot)).toBe(false)
    expect(await rival.snapshot()).toEqual({ items: [] })
  })

  it('an empty snapshot counts as stored, adopted or restored', async () => {
    for (const store of ['adopt', 'restore'] as const) {
      const { memory, rival } = setUp()
      await memory[store]({ items: [] })
      expect(await rival.adopt(snapshot)).toBe(false)
      expect(await rival.delete()).toBe(true)
    }
  })
})

describe('pin', () => {
  const CONFLICT = { code: 'CONFLICT', outcome: 'not-committed' }

  it('goes through appends, clear and restore, and ends with a deletion', async () => {
    const { memory, rival } = setUp()
    await memory.addUserInput('x')
    const view = memory.pin()
    expect(texts(await view.getItems())).toEqual(['x'])
    await rival.clear()
    await rival.restore({ items: [] })
    await rival.addUserInput('y')
    await view.addUserInput('z')
    expect(texts(await rival.getItems())).toEqual(['y', 'z'])
    await rival.delete()
    await expect(view.getItems()).rejects.toMatchObject(CONFLICT)
    await rival.addUserInput('new life')
    await expect(view.addUserInput('old')).rejects.toMatchObject(CONFLICT)
    await expect(view.addToolOutput('c', 'old')).rejects.toMatchObject(CONFLICT)
    await expect(view.clear()).rejects.toMatchObject(CONFLICT)
    await memory.addUserInput('unpinned')
    expect(texts(await rival.getItems())).toEqual(['new life', 'unpinned'])
  })

  it('begins with its own first write, also if the answer was lost and the life is over', async () => {
    for (const fate of [undefined, 'lost'] as const) {
      const driver = new FaultyDriver()
      const view = createStorage(driver).memory('a').pin()
      const rival = createStorage(driver.inner).memory('a')
      expect(await view.getItems()).toEqual([])
      if (fate) driver.fates.push(fate)
      await view.addUserInput('mine')
      await rival.delete()
      await rival.addUserInput('new life')
      await expect(view.addUserInput('more')).rejects.toMatchObject(CONFLICT)
    }
  })

  it('cannot delete or adopt, which is bound to no life', () => {
    const { memory } = setUp()
    expect(
      Object.keys(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(memory.pin()))),
    ).not.toContain('delete')
    expect('adopt' in memory.pin()).toBe(false)
  })

  it('shares the compressor of its handle', async () => {
    const { memory, rival } = setUp()
    await memory.addUserInput('1')
    const view = memory.pin()
    await memory.setCompressor(new WindowedMemoryCompressor(1))
    await view.addUserInput('2')
    expect(texts(await rival.getItems())).toEqual(['2'])
  })
})

describe('setCompressor', () => {
  const drop: (snapshot: MemorySnapshot) => MemorySnapshot = ({ items }) => ({
    items: items.slice(-1),
  })

  it('rewrites at once, synchronously or not, and calls take effect in their order', async () => {
    for (const asynchronous of [false, true]) {
      const { memory, rival } = setUp()
      for (const text of ['1', '2', '3']) await memory.addUserInput(text)
      await memory.setCompressor({
        compress: (snapshot) => (asynchronous ? Promise.resolve(drop(snapshot)) : drop(snapshot)),
      })
      expect(texts(await rival.getItems())).toEqual(['3'])
    }
    const { memory } = setUp()
    await Promise.all([
      memory.addUserInput('1'),
      memory.addUserInput('2'),
      memory.setCompressor({ compress: drop }),
      memory.addUserInput('3'),
      memory.setCompressor(undefined),
      memory.addUserInput('4'),
    ])
    expect(texts(await memory.getItems())).toEqual(['3', '4'])
  })

  it('the later of two calls counts, whichever takes longer', async () => {
    const { memory } = setUp()
    await memory.addUserInput('1')
    const slow = memory.setCompressor({
      compress: (snapshot) => new Promise((done) => setTimeout(() => done(drop(snapshot)), 20)),
    })
    await Promise.all([slow, memory.setCompressor(undefined)])
    await memory.addUserInput('2')
    await memory.addUserInput('3')
    expect(texts(await memory.getItems())).toEqual(['1', '2', '3'])
  })

  it('waits for a compression that is under way, and adds behind it use the new one', async () => {
    const { memory } = setUp()
    let at = 0
    let most = 0
    const counted = (keep: number) => ({
      compress: async ({ items }: MemorySnapshot) => {
        most = Math.max(most, ++at)
        await new Promise((done) => setTimeout(done, 5))
        at--
        return { items: items.slice(-keep) }
      },
    })
    await memory.setCompressor(counted(5))
    await Promise.all([
      memory.addUserInput('1'),
      memory.addUserInput('2'),
      memory.setCompressor(counted(1)),
      memory.addUserInput('3'),
      memory.addUserInput('4'),
    ])
    expect(most).toBe(1)
    expect(texts(await memory.getItems())).toEqual(['4'])
  })

  it('changes neither state nor compressor if it fails', async () => {
    for (const compress of [
      () => {
        throw new Error('no')
      },
      () => Promise.reject(new Error('no')),
      () => undefined as never,
      async () => ({ items: [Number.NaN] }) as never,
    ]) {
      const { memory } = setUp()
      await memory.addUserInput('1')
      await expect(memory.setCompressor({ compress })).rejects.toMatchObject({
        code: 'COMPRESSION_FAILED',
        outcome: 'not-committed',
      })
      await memory.addUserInput('2')
      expect(texts(await memory.getItems())).toEqual(['1', '2'])
    }
  })

  it('asks an asynchronous compressor again after a lost race, and is CONFLICT after three', async () => {
    for (const races of [2, 3]) {
      const { memory, rival } = setUp()
      await memory.addUserInput('0')
      let asked = 0
      const swap = memory.setCompressor({
        compress: async (snapshot) => {
          if (++asked <= races)
            await rival.update(({ items }) => ({
              items: [...items].reverse(),
              summary: `${asked}`,
            }))
          return drop(snapshot)
        },
      })
      if (races < 3) await swap
      else await expect(swap).rejects.toMatchObject({ code: 'CONFLICT', outcome: 'not-committed' })
      expect(asked).toBe(3)
    }
  })
})
