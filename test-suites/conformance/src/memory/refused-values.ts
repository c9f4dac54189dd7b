import assert from 'node:assert/strict'
import type { AgentItem, MemorySnapshot } from '@holdfast/core'
import { assertItems, failure, lasting, openWhole, plain, user } from './expect.ts'
import { all, always, type MemoryCase, memoryCase, persistent, snapshots } from './memory-case.ts'

class Point {
  constructor(
    readonly x = 1,
    readonly y = 2,
  ) {}
}

function cycle(): unknown {
  const ring: Record<string, unknown> = { name: 'ring' }
  ring['next'] = { back: ring }
  return ring
}

function arrayCycle(): unknown {
  const ring: unknown[] = []
  ring.push([ring])
  return ring
}

/** What JSON would mangle or reject, by kind; `at` is where below `data` the path must point. */
const kinds: Readonly<Record<string, readonly { make(): unknown; at?: string }[]>> = {
  dates: [{ make: () => new Date(0) }, { make: () => new Date(Number.NaN) }],
  bigints: [{ make: () => 1n }],
  collections: [
    { make: () => new Map([['a', 1]]) },
    { make: () => new Set([1]) },
    { make: () => new WeakMap() },
  ],
  bytes: [
    { make: () => new Uint8Array([1, 2]) },
    { make: () => new ArrayBuffer(2) },
    { make: () => new DataView(new ArrayBuffer(2)) },
    { make: () => Buffer.from('text') },
  ],
  functions: [
    { make: () => () => 'text' },
    { make: () => Point },
    { make: () => Symbol('s') },
    { make: () => ({ [Symbol('key')]: 1 }) },
    { make: () => ({ toJSON: () => 'text' }), at: '.toJSON' },
  ],
  'numbers-beyond-json': [
    { make: () => Number.NaN },
    { make: () => Number.POSITIVE_INFINITY },
    { make: () => Number.NEGATIVE_INFINITY },
  ],
  cycles: [
    { make: cycle, at: '.next.back' },
    { make: arrayCycle, at: '[0][0]' },
  ],
  'class-instances': [
    { make: () => new Point() },
    { make: () => new Error('text') },
    { make: () => /text/ },
    { make: () => new Number(1) },
    { make: () => Promise.resolve(1) },
    { make: () => Object.create({ inherited: 1 }) },
  ],
  'undefined-in-arrays': [
    { make: () => [1, undefined], at: '[1]' },
    { make: () => [undefined], at: '[0]' },
    // biome-ignore lint/suspicious/noSparseArray: a hole is what this is about
    { make: () => [1, , 3], at: '[1]' },
  ],
}

const holding = (data: unknown): AgentItem => ({
  type: 'message',
  content: [{ type: 'a' }, { type: 'b' }, { type: 'c', data }],
})

async function refusesWithPath(attempt: Promise<unknown>, path: string): Promise<void> {
  const { message, outcome } = await failure(attempt, 'NOT_SERIALIZABLE')
  assert.ok(message.includes(path), `${JSON.stringify(path)} is not named in: ${message}`)
  assert.ok(outcome === undefined || outcome === 'not-committed', `outcome ${outcome}`)
}

const byKind = Object.entries(kinds).map(
  ([kind, values]): MemoryCase =>
    memoryCase(
      `refuses-${kind}`,
      `${kind.replaceAll('-', ' ')} are refused with NOT_SERIALIZABLE and the path, and nothing of the batch is stored`,
      always,
      async (harness) => {
        const memory = await harness.open(harness.newId())
        await memory.addUserInput('kept')
        for (const { make, at = '' } of values) {
          await refusesWithPath(
            memory.addOutputItems([user('good'), holding(make())]),
            `items[1].content[2].data${at}`,
          )
          await refusesWithPath(memory.addUserInput(holding(make())), `content[2].data${at}`)
          await refusesWithPath(
            memory.addUserInput([user('good'), holding(make())]),
            `[1].content[2].data${at}`,
          )
          await refusesWithPath(
            memory.addToolOutput('c1', [{ type: 'good' }, { type: 'bad', data: make() }]),
            `[1].data${at}`,
          )
        }
        await assertItems(memory, [user('kept')])
      },
    ),
)

/** RULE values: what is refused. */
export const refusedValueCases = [
  ...byKind,
  memoryCase(
    'refused-values-write-nothing',
    'a refused add writes nothing: the id is still unused',
    persistent,
    async (harness) => {
      const memory = lasting(await harness.open(harness.newId()))
      await failure(memory.addOutputItems([user('good'), holding(1n)]), 'NOT_SERIALIZABLE')
      await failure(memory.addUserInput(holding(new Date(0))), 'NOT_SERIALIZABLE')
      await failure(memory.adopt({ items: [holding(new Map())] }), 'NOT_SERIALIZABLE')
      assert.equal(await memory.adopt({ items: [] }), true)
    },
  ),
  memoryCase(
    'refused-values-in-whole-states',
    'restore and update refuse the same values, name the path and change nothing',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.restore({ items: [user('kept')], summary: 'S' })
      for (const values of Object.values(kinds)) {
        for (const { make, at = '' } of values) {
          const bad: MemorySnapshot = { items: [user('good'), holding(make())] }
          const path = `items[1].content[2].data${at}`
          await refusesWithPath(memory.restore(bad), path)
          await refusesWithPath(
            memory.update(() => bad),
            path,
          )
        }
      }
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('kept')],
        summary: 'S',
      })
    },
  ),
  memoryCase(
    'refused-states',
    'restore, update and setSummary refuse what is no snapshot or no text with INVALID_ARGUMENT',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.restore({ items: [user('kept')], summary: 'S' })
      const wrong: unknown[] = [
        null,
        undefined,
        'text',
        42,
        [],
        {},
        { items: 'text' },
        { items: null },
        { items: ['bare'] },
        { items: [null] },
        { items: [[]] },
        { items: [], summary: 7 },
        { items: [], summary: null },
        { items: [], summary: {} },
      ]
      for (const state of wrong) {
        await failure(memory.restore(state as never), 'INVALID_ARGUMENT')
        await failure(
          memory.update(() => state as never),
          'INVALID_ARGUMENT',
        )
      }
      await failure(
        memory.update((async (current: MemorySnapshot) => current) as never),
        'INVALID_ARGUMENT',
      )
      for (const change of [undefined, null, 'text', { items: [] }]) {
        await failure(memory.update(change as never), 'INVALID_ARGUMENT')
      }
      for (const summary of [null, 7, {}, [], true]) {
        await failure(memory.setSummary(summary as never), 'INVALID_ARGUMENT')
      }
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('kept')],
        summary: 'S',
      })
    },
  ),
  memoryCase(
    'refused-adoptions',
    'adopt refuses what is no snapshot with INVALID_ARGUMENT and leaves the id unused',
    all(persistent),
    async (harness) => {
      const memory = lasting(await harness.open(harness.newId()))
      for (const state of [null, undefined, 'text', [], {}, { items: ['bare'] }]) {
        await failure(memory.adopt(state as never), 'INVALID_ARGUMENT')
      }
      assert.equal(await memory.adopt({ items: [] }), true)
    },
  ),
]
