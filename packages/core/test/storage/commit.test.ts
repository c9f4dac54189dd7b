import { describe, expect, it } from 'vitest'
import { createStorage, HoldfastError, WindowedMemoryCompressor } from '../../src/index.ts'
import { texts } from '../texts.ts'
import { type Fate, FaultyDriver } from './faulty-driver.ts'

const setUp = (options: { attempts?: number; timeoutMs?: number } = {}) => {
  const driver = new FaultyDriver()
  const one = createStorage(driver, options)
  const other = createStorage(driver.inner)
  return { driver, one, other, memory: one.memory('a'), rival: other.memory('a') }
}

describe('a write whose answer went wrong', () => {
  for (const fate of ['unsent', 'lost', 'false', 'late'] as const) {
    it(`is applied once: ${fate}, on create and on append`, async () => {
      const { driver, memory, rival } = setUp()
      driver.fates.push(fate)
      await memory.addUserInput('1')
      driver.fates.push(fate, fate)
      await memory.addUserInput('2')
      await driver.land()
      await memory.addUserInput('3')
      expect(texts(await rival.getItems())).toEqual(['1', '2', '3'])
    })
  }

  it('is recognised behind a window and a rival’s commits', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    await rival.setCompressor(new WindowedMemoryCompressor(1))
    driver.fates.push('lost')
    driver.beforeRead = async () => {
      for (let index = 0; index < 200; index++) await rival.addUserInput(`r${index}`)
    }
    await memory.addUserInput('mine')
    expect(texts(await rival.getItems())).toEqual(['r199'])
  })

  it('is recognised across a deletion', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    driver.fates.push('lost')
    driver.beforeRead = async () => {
      await rival.delete()
      await rival.addUserInput('new life')
    }
    await memory.addUserInput('mine')
    expect(texts(await rival.getItems())).toEqual(['new life'])
  })

  it('that deletes is recognised behind a new creation, which stays visible', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    driver.fates.push('lost')
    const read = driver.read.bind(driver)
    let reads = 0
    driver.read = async (id, options) => {
      if (++reads === 2) await rival.addUserInput('new life')
      return read(id, options)
    }
    expect(await memory.delete()).toBe(true)
    expect(texts(await memory.getItems())).toEqual(['new life'])
    await memory.addUserInput('1')
    expect(texts(await rival.getItems())).toEqual(['new life', '1'])
  })

  it('that was never sent is applied, however often one other writer committed meanwhile', async () => {
    const { driver, memory, rival } = setUp()
    await rival.addUserInput('0')
    driver.fates.push('unsent')
    await memory.getItems()
    driver.beforeRead = async () => {
      for (let index = 0; index < 200; index++) await rival.addUserInput(`r${index}`)
    }
    await memory.addUserInput('mine')
    expect(texts(await rival.getItems()).filter((text) => text === 'mine')).toHaveLength(1)
  })

  it('is unknown once 64 other writers committed in between, and never doubled', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    driver.fates.push('lost')
    driver.beforeRead = async () => {
      for (let index = 0; index < 64; index++) {
        await createStorage(driver.inner).memory('a').addUserInput(`w${index}`)
      }
    }
    await expect(memory.addUserInput('mine')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'unknown',
    })
    expect(texts(await rival.getItems()).filter((text) => text === 'mine')).toHaveLength(1)
  })

  it('is recognised with 63 other writers in between', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    driver.fates.push('lost')
    driver.beforeRead = async () => {
      const storages = Array.from({ length: 63 }, () => createStorage(driver.inner))
      for (let round = 0; round < 4; round++) {
        for (const storage of storages) await storage.memory('a').addUserInput(`r${round}`)
      }
    }
    await memory.addUserInput('mine')
    expect(texts(await rival.getItems()).filter((text) => text === 'mine')).toHaveLength(1)
  })

  it('that lands after a deletion and a new creation changes nothing', async () => {
    const { driver, memory, rival } = setUp({ attempts: 1 })
    await memory.addUserInput('0')
    driver.fates.push('late')
    await expect(memory.addUserInput('old')).rejects.toMatchObject({ outcome: 'unknown' })
    await rival.delete()
    await rival.addUserInput('new')
    expect(await driver.land()).toEqual([false])
    expect(texts(await memory.getItems())).toEqual(['new'])
  })
})

describe('what a failed write says', () => {
  const cases: [string, Fate[], { code: string; outcome: string }][] = [
    [
      'an error of an unknown kind',
      [{ error: new Error('?') }],
      { code: 'STORAGE_FAILED', outcome: 'unknown' },
    ],
    ['a lost answer, one attempt', ['late'], { code: 'STORAGE_FAILED', outcome: 'unknown' }],
  ]
  for (const [name, fates, expected] of cases) {
    it(name, async () => {
      const { driver, memory } = setUp({ attempts: 1 })
      driver.fates.push(...fates)
      await expect(memory.addUserInput('x')).rejects.toMatchObject(expected)
    })
  }

  it('an unknown error while a rival was faster is not committed, and not tried again', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    await rival.addUserInput('1')
    driver.fates.push({ error: new Error('?') })
    const before = driver.writes
    await expect(memory.addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
    expect(driver.writes - before).toBe(1)
  })

  it('one attempt that loses a race is CONFLICT', async () => {
    const { memory, rival } = setUp({ attempts: 1 })
    await memory.addUserInput('0')
    await rival.addUserInput('1')
    await expect(memory.addUserInput('x')).rejects.toMatchObject({
      code: 'CONFLICT',
      outcome: 'not-committed',
    })
    await memory.addUserInput('x')
    expect(texts(await rival.getItems())).toEqual(['0', '1', 'x'])
  })

  it('too large is TOO_LARGE, closed is CLOSED, corrupt is CORRUPT', async () => {
    for (const [kind, code] of [
      ['too-large', 'TOO_LARGE'],
      ['closed', 'CLOSED'],
      ['refused', 'STORAGE_FAILED'],
      ['corrupt', 'CORRUPT'],
    ] as const) {
      const { driver, memory } = setUp()
      driver.classify = () => kind
      const cause = new Error('raw')
      driver.fates.push({ error: cause })
      await expect(memory.addUserInput('x')).rejects.toMatchObject({ code, cause })
    }
  })

  it('names the code of the cause but never its message, which may quote what was written', async () => {
    const { driver, memory } = setUp({ attempts: 1 })
    driver.fates.push({
      error: Object.assign(new Error('params: secret'), { code: 'SQLITE_FULL' }),
    })
    const error = await memory.addUserInput('x').catch((thrown: unknown) => thrown)
    expect((error as Error).message).toContain('SQLITE_FULL')
    expect((error as Error).message).not.toContain('secret')
    driver.fates.push({ error: 'a string' })
    await expect(memory.addUserInput('x')).rejects.toMatchObject({ cause: 'a string' })
  })

  it('a read that fails before anything was sent is not committed', async () => {
    const { driver, memory } = setUp({ attempts: 1 })
    driver.readErrors.push(new Error('down'))
    await expect(memory.addUserInput('x')).rejects.toMatchObject({ outcome: 'not-committed' })
    await memory.addUserInput('y')
    expect(texts(await memory.getItems())).toEqual(['y'])
  })

  it('a re-read that fails leaves the outcome unknown', async () => {
    const { driver, memory } = setUp({ attempts: 1 })
    await memory.addUserInput('0')
    driver.fates.push('lost')
    driver.readErrors.push(new Error('down'))
    await expect(memory.addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'unknown',
    })
  })

  it('a driver that hangs ends after the timeout', async () => {
    const { driver, memory } = setUp({ attempts: 1, timeoutMs: 20 })
    await memory.addUserInput('0')
    driver.append = () => new Promise(() => {})
    await expect(memory.addUserInput('x')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'unknown',
      message: expect.stringContaining('20 ms'),
    })
  })

  it('a driver that throws synchronously rejects', async () => {
    const { driver, memory } = setUp({ attempts: 1 })
    driver.read = () => {
      throw new Error('sync')
    }
    await expect(memory.getItems()).rejects.toBeInstanceOf(HoldfastError)
  })
})

describe('a change that refuses', () => {
  it('is asked again on a fresh state before it counts', async () => {
    const { memory, rival } = setUp()
    await memory.addUserInput('0')
    await rival.addUserInput('1')
    const found = await memory.update((state) => {
      if (state.items.length < 2) throw new Error('not there yet')
      return state
    })
    expect(found.items).toHaveLength(2)
    const refusal = new Error('never')
    await expect(
      memory.update(() => {
        throw refusal
      }),
    ).rejects.toBe(refusal)
  })
})

describe('a driver that answers nonsense', () => {
  it('undefined is nothing, and a classify that fails knows nothing', async () => {
    const { driver, memory } = setUp({ attempts: 1 })
    driver.classify = () => {
      throw new Error('no')
    }
    driver.fates.push({ error: new Error('?') })
    await expect(memory.addUserInput('x')).rejects.toMatchObject({ outcome: 'unknown' })
    driver.classify = () => 'nonsense' as never
    driver.fates.push({ error: new Error('?') })
    await expect(memory.addUserInput('x')).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    driver.read = async () => undefined as never
    expect(await memory.getItems()).toEqual([])
  })
})

describe('reads', () => {
  it('ask only for what is new, and are unchanged without any entry', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    await memory.getItems()
    await rival.addUserInput('1')
    expect(texts(await memory.getItems())).toEqual(['0', '1'])
    expect(driver.reads.slice(1).map((options) => options?.skip)).toEqual([1, 1])
  })

  it('read whole after a change that is no append, and where a cached state is of another history', async () => {
    const { driver, memory, rival } = setUp()
    await memory.addUserInput('0')
    await rival.update(({ items }) => ({ items: [...items.slice(1), ...items] }))
    await rival.restore({
      items: [{ type: 'message', role: 'user', content: [{ text: 'other' }] }],
    })
    await rival.addUserInput('1')
    expect(texts(await memory.getItems())).toEqual(['other', '1'])

    // A backup of the state with one item is restored, and grows to the old length in another way.
    const backup = await driver.inner.read('m0:a', {})
    if (!backup || backup === 'unchanged') throw new Error('no backup')
    await memory.addUserInput('2')
    const now = await driver.inner.read('m0:a', {})
    if (!now || now === 'unchanged') throw new Error('no state')
    await driver.inner.replace('m0:a', { ...backup, revision: 'restored' }, now)
    await createStorage(driver.inner).memory('a').addUserInput('other 2')
    await createStorage(driver.inner).memory('a').addUserInput('other 3')
    expect(texts(await memory.getItems())).toEqual(['other', '1', 'other 2', 'other 3'])
  })

  it('try again after transient errors', async () => {
    const { driver, memory } = setUp()
    await memory.addUserInput('0')
    driver.readErrors.push(
      ...Array.from({ length: 3 }, () => Object.assign(new Error('busy'), { busy: true })),
    )
    driver.classify = (error) => ((error as { busy?: true }).busy ? 'transient' : undefined)
    expect(texts(await memory.getItems())).toEqual(['0'])
  })
})
