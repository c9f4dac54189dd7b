import { describe, expect, it } from 'vitest'
import {
  createStorage,
  InMemoryAgentMemory,
  type MemoryCompressor,
  MemoryDriver,
  type MemorySnapshot,
  userMessage,
  WindowedMemoryCompressor,
} from '../../src/index.ts'
import { texts } from '../texts.ts'

const kinds = {
  InMemoryAgentMemory: (compressor?: MemoryCompressor) => new InMemoryAgentMemory({ compressor }),
  DurableAgentMemory: (compressor?: MemoryCompressor) =>
    createStorage(new MemoryDriver()).memory('a', { compressor }),
}
const INVALID = expect.objectContaining({ code: 'INVALID_ARGUMENT' })
const wrong = (value: unknown) => value as never

/** A compressor that answers when the test says so. */
class Gate implements MemoryCompressor {
  readonly calls: {
    seen: MemorySnapshot
    open(answer: MemorySnapshot): void
    fail(error: unknown): void
  }[] = []

  compress(seen: MemorySnapshot): Promise<MemorySnapshot> {
    return new Promise((open, fail) => this.calls.push({ seen, open, fail }))
  }

  async call(index: number) {
    for (;;) {
      const call = this.calls[index]
      if (call) return call
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
}

for (const [name, make] of Object.entries(kinds)) {
  describe(`${name}: an asynchronous compressor`, () => {
    it('runs one at a time; adds that wait for it share the next', async () => {
      const gate = new Gate()
      const memory = make(gate)
      const adds = ['1', '2', '3', '4'].map((text) => memory.addUserInput(text))
      const first = await gate.call(0)
      expect(texts(first.seen.items)).toEqual(['1'])
      expect(texts(await memory.getItems())).toEqual(['1', '2', '3', '4'])
      first.open({ items: first.seen.items, summary: 'first' })
      const second = await gate.call(1)
      expect(texts(second.seen.items)).toEqual(['1', '2', '3', '4'])
      second.open({ items: second.seen.items.slice(-1), summary: 'second' })
      await Promise.all(adds)
      expect(gate.calls).toHaveLength(2)
      expect(texts(await memory.getItems())).toEqual(['second', '4'])
    })

    it('runs again if what it saw changed, and gives up after three lost races', async () => {
      const gate = new Gate()
      const memory = make(gate)
      const add = memory.addUserInput('1')
      for (const index of [0, 1, 2]) {
        const { open } = await gate.call(index)
        await memory.setSummary(`s${index}`)
        open({ items: [] })
      }
      await add
      expect(gate.calls).toHaveLength(3)
      expect(texts(await memory.getItems())).toEqual(['s2', '1'])
    })

    it('a clear during it stays, a removed compressor is not asked again', async () => {
      const gate = new Gate()
      const memory = make(gate)
      const add = memory.addUserInput('1')
      const { open } = await gate.call(0)
      await memory.clear()
      await memory.setCompressor(undefined)
      open({ items: [], summary: 'old' })
      await add
      expect(await memory.snapshot()).toEqual({ items: [] })
      expect(gate.calls).toHaveLength(1)
    })

    it('that fails rejects its add and every add that shares it; the next compresses everything', async () => {
      const gate = new Gate()
      const memory = make(gate)
      const cause = new Error('no')
      const adds = ['1', '2', '3'].map((text) =>
        memory.addUserInput(text).catch((error: unknown) => error),
      )
      const first = await gate.call(0)
      first.fail(cause)
      const second = await gate.call(1)
      second.fail(cause)
      for (const error of await Promise.all(adds)) {
        expect(error).toMatchObject({ code: 'COMPRESSION_FAILED', outcome: 'committed', cause })
      }
      const add = memory.addUserInput('4')
      const third = await gate.call(2)
      expect(texts(third.seen.items)).toEqual(['1', '2', '3', '4'])
      third.open({ items: third.seen.items })
      await add
    })
  })

  describe(`${name}: calls from inside`, () => {
    it('a change or a compressor take effect behind it, and none is lost', async () => {
      const memory = make()
      const inner: Promise<unknown>[] = []
      await memory.update(({ items }) => {
        if (inner.length === 0) inner.push(memory.addUserInput('inner'))
        return { items: [...items, userMessage('outer')] }
      })
      await Promise.all(inner)
      expect(texts(await memory.getItems())).toEqual(['outer', 'inner'])
    })

    it('an asynchronous change is refused, and its rejection handled', async () => {
      const memory = make()
      const change = async () => {
        throw new Error('boom')
      }
      await expect(memory.update(wrong(change))).rejects.toThrow(INVALID)
      await new Promise((resolve) => setTimeout(resolve))
    })

    it('a lazy thenable is started once', async () => {
      let started = 0
      const memory = make({
        compress: (snapshot) =>
          wrong({
            // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about.
            then: (done: (answer: MemorySnapshot) => void) => {
              started++
              done(snapshot)
            },
          }),
      })
      await memory.addUserInput('1')
      expect(started).toBe(1)
    })
  })

  describe(`${name}: bad input`, () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = [cyclic]
    const calls: [string, (memory: ReturnType<typeof make>) => Promise<unknown>, unknown][] = [
      ['addUserInput a number', (memory) => memory.addUserInput(wrong(5)), INVALID],
      ['addUserInput an array of text', (memory) => memory.addUserInput(wrong(['x'])), INVALID],
      ['addOutputItems an object', (memory) => memory.addOutputItems(wrong({})), INVALID],
      ['addToolOutput without id', (memory) => memory.addToolOutput('', 'x'), INVALID],
      ['addToolOutput a numeric id', (memory) => memory.addToolOutput(wrong(1), 'x'), INVALID],
      ['addToolOutput a number', (memory) => memory.addToolOutput('c', wrong(1)), INVALID],
      ['addToolOutput text parts', (memory) => memory.addToolOutput('c', wrong(['x'])), INVALID],
      ['setSummary a number', (memory) => memory.setSummary(wrong(1)), INVALID],
      ['setSummary null', (memory) => memory.setSummary(wrong(null)), INVALID],
      ['restore nothing', (memory) => memory.restore(wrong(undefined)), INVALID],
      ['restore without items', (memory) => memory.restore(wrong({})), INVALID],
      [
        'restore a wrong summary',
        (memory) => memory.restore(wrong({ items: [], summary: 1 })),
        INVALID,
      ],
      ['update no function', (memory) => memory.update(wrong({})), INVALID],
      ['update to nothing', (memory) => memory.update(wrong(() => undefined)), INVALID],
      [
        'update asynchronously',
        (memory) => memory.update(wrong(async () => ({ items: [] }))),
        INVALID,
      ],
      ['setCompressor a function', (memory) => memory.setCompressor(wrong(() => {})), INVALID],
      ['setCompressor null', (memory) => memory.setCompressor(wrong(null)), INVALID],
      [
        'a cycle',
        (memory) => memory.addUserInput(cyclic),
        expect.objectContaining({
          code: 'NOT_SERIALIZABLE',
          message: expect.stringContaining('input.self[0] is a cycle'),
        }),
      ],
    ]
    for (const [what, call, error] of calls) {
      it(`${what} is refused and changes nothing`, async () => {
        const memory = make()
        await memory.addUserInput('1')
        const before = await memory.snapshot()
        await expect(call(memory)).rejects.toThrow(error as never)
        expect(await memory.snapshot()).toEqual(before)
      })
    }
  })
}

it('constructors refuse wrong options', () => {
  for (const options of [null, 5, [], { compressor: {} }, { compressor: 'x' }]) {
    expect(() => new InMemoryAgentMemory(wrong(options))).toThrow(INVALID)
    expect(() => createStorage(new MemoryDriver()).memory('a', wrong(options))).toThrow(INVALID)
  }
  for (const size of [0, -1, 1.5, Number.NaN, Infinity, '3', undefined]) {
    expect(() => new WindowedMemoryCompressor(wrong(size))).toThrow(INVALID)
  }
})

describe('values', () => {
  const memory = new InMemoryAgentMemory()
  class Point {}
  const bad: [string, unknown, string][] = [
    ['a Date', { at: [new Date()] }, 'input.at[0] is an instance of Date'],
    ['a bigint', { n: 1n }, 'input.n is a bigint'],
    ['a Map', { 'a b': new Map() }, 'input["a b"] is an instance of Map'],
    ['bytes', { data: new Uint8Array(1) }, 'input.data is an instance of Uint8Array'],
    ['a function', { f() {} }, 'input.f is a function'],
    ['a symbol', { s: Symbol('x') }, 'input.s is a symbol'],
    ['a symbol key', { o: { [Symbol('x')]: 1 } }, 'input.o is keyed by symbols'],
    [
      'a hidden toJSON',
      { o: Object.defineProperty({}, 'toJSON', { value: () => 1 }) },
      'input.o is made by toJSON',
    ],
    ['NaN', { n: Number.NaN }, 'input.n is NaN'],
    ['Infinity', { n: -Infinity }, 'input.n is -Infinity'],
    ['a class instance', new Point(), 'input is an instance of Point'],
    ['undefined in an array', { a: [1, undefined] }, 'input.a[1] is undefined'],
    ['a hole in an array', { a: new Array(1) }, 'input.a[0] is undefined'],
  ]
  for (const [name, value, message] of bad) {
    it(`refuses ${name}`, async () => {
      await expect(memory.addUserInput(wrong(value))).rejects.toMatchObject({
        code: 'NOT_SERIALIZABLE',
        outcome: 'not-committed',
        message: expect.stringContaining(message),
      })
    })
  }

  it('refuses what is nested too deep, and shortens its path', async () => {
    let value: Record<string, unknown> = {}
    for (let depth = 0; depth < 2_000; depth++) value = { next: value }
    const error = await memory.addUserInput(value).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NOT_SERIALIZABLE' })
    expect((error as Error).message.length).toBeLessThan(500)
  })

  it('keeps what JSON can carry, __proto__ and objects without a prototype included', async () => {
    const item = Object.assign(Object.create(null) as object, {
      ...JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
      gone: undefined,
      zero: -0,
      text: '\u0000\ud800😀',
    })
    const own = new InMemoryAgentMemory()
    await own.addUserInput(item)
    const [stored] = await own.getItems()
    expect(JSON.stringify(stored)).toBe(
      '{"__proto__":{"polluted":true},"constructor":1,"zero":0,"text":"\\u0000\\ud800😀"}',
    )
    expect((stored as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
