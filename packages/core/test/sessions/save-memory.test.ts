import { describe, expect, it, vi } from 'vitest'
import { type AgentSessionSnapshot, createStorage, MemoryDriver } from '../../src/index.ts'
import { InMemoryAgentSessionStore } from '../../src/sessions/in-memory-agent-session-store.ts'
import { input, saved, say, sessionOf } from './support.ts'

const events = [input(1, 'a'), input(2, 'b'), input(3, 'c')]
const NOT_SERIALIZABLE = { code: 'NOT_SERIALIZABLE' }
const [first] = say('a').items
const hidden = (key: PropertyKey) => Object.defineProperty({ ...first }, key, { value: () => 1 })

for (const [name, open] of [
  ['in memory', () => new InMemoryAgentSessionStore()],
  ['durable', () => createStorage(new MemoryDriver()).sessions()],
] as const) {
  const save = async (memory: unknown) =>
    (await saved(open(), sessionOf('a', events, { memory } as Partial<AgentSessionSnapshot>)))
      .memory

  describe(`the memory of a save, ${name}`, () => {
    it('is stored as it is, be it the fold, its front, its end, or neither', async () => {
      for (const words of ['a b c', 'a b', 'b c', 'c', 'a c', 'b a c', 'a b c d', 'x'].map((it) =>
        it.split(' '),
      )) {
        expect(await save(say(...words))).toEqual(say(...words))
        expect(await save({ ...say(...words), summary: 's' })).toEqual({
          ...say(...words),
          summary: 's',
        })
      }
      expect(await save({ items: [] })).toEqual({ items: [] })
    })

    it('keeps the order of its keys where that is not the one of the fold', async () => {
      const items = say('a', 'b', 'c').items.map((item) =>
        Object.fromEntries(Object.entries(item).reverse()),
      )
      expect(JSON.stringify(await save({ items }))).toBe(JSON.stringify({ items }))
    })

    it('is refused where an item looks like one of the fold and is not plain JSON', async () => {
      class Item {}
      const foreign = [Object.assign(new Item(), first), hidden('toJSON'), hidden(Symbol('x'))]
      for (const item of [...foreign, { ...first, at: new Date(0) }, { ...first, n: Number.NaN }]) {
        const items = [item, ...say('b', 'c').items]
        await expect(save({ items })).rejects.toMatchObject(NOT_SERIALIZABLE)
      }
      await expect(save({ ...say('a', 'b', 'c'), summary: 5 })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    })
  })
}

it('serializes no item again of a memory that is the fold of frozen events', async () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze)
    return Object.freeze(value)
  }
  const store = createStorage(new MemoryDriver()).sessions()
  const log = freeze(['old1', 'old2'].map((word, index) => input(index + 1, word)))
  const { revision } = await store.save(sessionOf('a', log))
  const next = sessionOf('a', [...log, freeze(input(3, 'new'))], { revision })
  const stringify = vi.spyOn(JSON, 'stringify')
  await store.save(next)
  const made = stringify.mock.results.map(({ value }) => String(value))
  stringify.mockRestore()
  expect(made.filter((text) => text.includes('new'))).not.toEqual([])
  expect(made.filter((text) => text.includes('old'))).toEqual([])
})
