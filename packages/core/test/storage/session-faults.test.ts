import { describe, expect, it } from 'vitest'
import type { AgentSessionSnapshot } from '../../src/index.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { input, say, sessionOf } from '../sessions/support.ts'
import { FaultyDriver } from './faulty-driver.ts'

const driver = () => new FaultyDriver()
const words = (snapshot: AgentSessionSnapshot | undefined) => snapshot?.events.length ?? 0

describe('a save whose answer went wrong', () => {
  for (const fate of ['unsent', 'lost', 'late', 'false'] as const) {
    for (const first of [true, false]) {
      it(`(${fate}) ${first ? 'creates' : 'adds'} exactly once, and answers its own revision`, async () => {
        const faulty = driver()
        const store = createStorage(faulty).sessions()
        let current = sessionOf('a', [input(1, 'a')])
        if (!first) current = { ...current, revision: (await store.save(current)).revision }
        const next = { ...current, events: [...current.events, input(2, 'b')] }
        faulty.fates.push(fate)
        const { revision } = await store.save(next)
        await faulty.land()
        const loaded = await createStorage(faulty).sessions().load('a')
        expect(loaded?.events).toEqual(next.events)
        expect(loaded?.revision).toBe(revision)
        // Whoever goes on from that revision can.
        await store.save({ ...next, revision, events: [...next.events, input(3, 'c')] })
        expect(words(await store.load('a'))).toBe(3)
      })
    }
  }

  it('answers its own revision, not that of who saved on top of it', async () => {
    const faulty = driver()
    const [mine, yours] = [createStorage(faulty).sessions(), createStorage(faulty).sessions()]
    const { revision } = await mine.save(sessionOf('a', [input(1, 'a')]))
    const base = sessionOf('a', [input(1, 'a'), input(2, 'b')], { revision })
    faulty.fates.push('lost')
    let theirs: string | undefined
    faulty.beforeRead = async () => {
      const seen = await yours.load('a')
      if (!seen) throw new Error('nothing is stored')
      theirs = (await yours.save({ ...seen, events: [...seen.events, input(3, 'c')] })).revision
    }
    const own = (await mine.save(base)).revision
    expect(own).not.toBe(theirs)
    expect((await mine.load('a'))?.revision).toBe(theirs)
    await expect(mine.save({ ...base, revision: own })).rejects.toMatchObject({
      code: 'CONFLICT',
      outcome: 'not-committed',
    })
    expect(words(await mine.load('a'))).toBe(3)
  })

  it('is a conflict where another writer was faster, and writes nothing', async () => {
    const faulty = driver()
    const [mine, yours] = [createStorage(faulty).sessions(), createStorage(faulty).sessions()]
    const { revision } = await mine.save(sessionOf('a', [input(1, 'a')]))
    await yours.save(sessionOf('a', [input(1, 'a'), input(2, 'yours')], { revision }))
    // Cached here is the state before.
    await expect(
      mine.save(sessionOf('a', [input(1, 'a'), input(2, 'mine')], { revision })),
    ).rejects.toMatchObject({ code: 'CONFLICT', outcome: 'not-committed' })
    expect((await mine.load('a'))?.memory).toEqual(say('a', 'yours'))
  })

  it('brings nothing back that was deleted before it landed', async () => {
    const faulty = driver()
    const [mine, yours] = [
      createStorage(faulty, { attempts: 1 }).sessions(),
      createStorage(faulty).sessions(),
    ]
    const { revision } = await mine.save(sessionOf('a', [input(1, 'a')]))
    faulty.fates.push('late')
    await expect(
      mine.save(sessionOf('a', [input(1, 'a'), input(2, 'b')], { revision })),
    ).rejects.toMatchObject({ code: 'STORAGE_FAILED', outcome: 'unknown' })
    expect(await yours.delete('a')).toBe(true)
    expect(await faulty.land()).toEqual([false])
    expect(await mine.load('a')).toBeUndefined()
    await yours.save(sessionOf('a', [input(1, 'new')]))
    expect((await mine.load('a'))?.memory).toEqual(say('new'))
  })

  it('fails with its outcome where the backend refuses it', async () => {
    const faulty = driver()
    const store = createStorage(faulty).sessions()
    const snapshot = sessionOf('a', [input(1, 'a')])
    faulty.fates.push({ error: new Error('broken') })
    await expect(store.save(snapshot)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'unknown',
    })
    faulty.readErrors.push(new Error('down'))
    await expect(store.save(snapshot)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'not-committed',
    })
    await store.save(snapshot)
    faulty.readErrors.push(new Error('down'))
    await expect(store.load('a')).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(words(await store.load('a'))).toBe(1)
  })
})

describe('two processes', () => {
  it('that race to create one session have one winner', async () => {
    const { inner } = driver()
    const stores = Array.from({ length: 8 }, () => createStorage(inner).sessions())
    const answers = await Promise.allSettled(
      stores.map((store, n) => store.save(sessionOf('a', [input(1, `w${n}`)]))),
    )
    const winners = answers.flatMap((answer, n) => (answer.status === 'fulfilled' ? [n] : []))
    expect(winners).toHaveLength(1)
    expect((await stores[0]?.load('a'))?.memory).toEqual(say(`w${winners[0]}`))
  })

  it('that load, add and save until they get in lose nothing: 8 times 20 events', async () => {
    const { inner } = driver()
    await createStorage(inner).sessions().save(sessionOf('a', []))
    const worker = async (name: number) => {
      const store = createStorage(inner).sessions()
      for (let n = 0; n < 20; ) {
        const current = await store.load('a')
        if (!current) throw new Error('it is gone')
        const last = current.events.at(-1)?.sequence ?? 0
        const events = [...current.events, input(last + 1, `${name}.${n}`)]
        try {
          await store.save(sessionOf('a', events, { revision: current.revision as string }))
          n++
        } catch (error) {
          expect(error).toMatchObject({ code: 'CONFLICT', outcome: 'not-committed' })
        }
      }
    }
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(worker))
    const { events, memory } =
      (await createStorage(inner).sessions().load('a')) ?? sessionOf('', [])
    expect(events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 160 }, (_, index) => index + 1),
    )
    expect(new Set(memory.items.map((item) => JSON.stringify(item))).size).toBe(160)
  })
})
