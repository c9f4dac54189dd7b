import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import type { AgentItem } from '@holdfast/core'
import { assertItems, readersOf, system, toolOutput, user } from './expect.ts'
import { HOSTILE } from './hostile.ts'
import { always, memoryCase } from './memory-case.ts'
import type { MemoryHarness } from './memory-harness.ts'

/** Stores `items` in one go and reads them back, in each process that there is. */
async function roundTrip(harness: MemoryHarness, items: AgentItem[], expected = items) {
  const id = harness.newId()
  const memory = await harness.open(id)
  await memory.addOutputItems(items)
  for (const reader of await readersOf(harness, id, memory)) {
    const read = await reader.getItems()
    assert.deepStrictEqual(read, expected)
    assert.deepStrictEqual(
      read.map((item) => JSON.stringify(item)),
      expected.map((item) => JSON.stringify(item)),
      'the same JSON text, order of keys included',
    )
  }
}

/** RULE values: what comes back as it was. */
export const keptValueCases = [
  memoryCase(
    'keeps-hostile-strings',
    'U+0000, lone surrogates, emoji, escapes, line feeds and quotes come back the same',
    always,
    async (harness) => {
      await roundTrip(
        harness,
        HOSTILE.map((text) => user(text)),
      )
      const id = harness.newId()
      const memory = await harness.open(id)
      for (const [index, text] of HOSTILE.entries()) {
        await memory.addUserInput(text)
        await memory.addToolOutput(`c${index}${text}`, text)
      }
      for (const reader of await readersOf(harness, id, memory)) {
        await assertItems(
          reader,
          HOSTILE.flatMap((text, index) => [user(text), toolOutput(`c${index}${text}`, text)]),
        )
      }
    },
  ),
  memoryCase(
    'keeps-hostile-keys',
    'keys of every kind come back the same',
    always,
    async (harness) => {
      await roundTrip(
        harness,
        HOSTILE.map((key) => ({ type: 'x', [key]: 1, nested: { [key]: [{ [key]: key }] } })),
      )
    },
  ),
  memoryCase(
    'keeps-prototype-keys',
    '__proto__, constructor and their like are plain data and change no prototype',
    always,
    async (harness) => {
      const text =
        '{"type":"x","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"nested":{"__proto__":null,"toString":"text","hasOwnProperty":1,"valueOf":[],"then":"not a promise"}}'
      await roundTrip(harness, [JSON.parse(text), user('behind')])
      const memory = await harness.open(harness.newId())
      await memory.addUserInput(JSON.parse(text))
      await memory.addToolOutput('c1', [JSON.parse(text)])
      const [item, output] = await memory.getItems()
      assert.equal(JSON.stringify(item), text)
      assert.equal(JSON.stringify(output?.['output']), `[${text}]`)
      assert.ok(Object.hasOwn(item ?? {}, '__proto__'))
      assert.equal(Object.getPrototypeOf(item), Object.prototype)
      assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
    },
  ),
  memoryCase(
    'keeps-numbers',
    'numbers come back the same; -0 as 0, as in JSON',
    always,
    async (harness) => {
      const numbers = [0, 1, -1, 0.1 + 0.2, 1e21, 1e-7, 5e-324, 1.7976931348623157e308]
      const whole = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53 + 2, 123456789012345]
      await roundTrip(harness, [{ type: 'numbers', numbers, whole }])
      await roundTrip(
        harness,
        [{ type: 'zero', zero: -0, list: [-0] }],
        [{ type: 'zero', zero: 0, list: [0] }],
      )
    },
  ),
  memoryCase(
    'keeps-empty-values',
    'null, false, 0, empty text, empty objects and empty arrays are kept',
    always,
    async (harness) => {
      await roundTrip(harness, [
        { type: 'x', a: null, b: false, c: 0, d: '', e: {}, f: [], g: [null, [], {}, ''] },
        {},
        { type: '' },
      ])
    },
  ),
  memoryCase(
    'drops-undefined-properties',
    'undefined properties are dropped, as JSON does',
    always,
    async (harness) => {
      const item = { type: 'x', gone: undefined, nested: { gone: undefined, kept: 1 } }
      await roundTrip(harness, [item], [{ type: 'x', nested: { kept: 1 } }])
      const memory = await harness.open(harness.newId())
      await memory.addUserInput(item)
      await memory.addToolOutput('c1', [item])
      const [first, second] = await memory.getItems()
      assert.ok(!('gone' in (first ?? {})))
      assert.deepStrictEqual(second, toolOutput('c1', [{ type: 'x', nested: { kept: 1 } }]))
    },
  ),
  memoryCase(
    'keeps-the-order-of-keys',
    'the keys of an item keep their order',
    always,
    async (harness) => {
      await roundTrip(harness, [
        { zebra: 1, type: 'x', apple: { z: 1, a: 2, m: { y: 1, b: 2 } }, Bee: 3, aa: 4, b: 5 },
      ])
    },
  ),
  memoryCase(
    'keeps-items-that-look-like-ours',
    'items that look like a summary, a snapshot or a stored record are items',
    always,
    async (harness) => {
      await roundTrip(harness, [
        { summary: 'not a summary' },
        { items: [{ type: 'inner' }], summary: 'inner' },
        { revision: 'r1', head: '{}', entries: ['{}'] },
        { type: 'summary', text: 'x' },
        { type: 'deleted', tombstone: true },
        { encrypted: 'AAAA', iv: 'AAAA' },
        { $set: { a: 1 }, 'b.c': 2 },
        system('not a summary either'),
      ])
    },
  ),
  memoryCase(
    'keeps-shared-parts',
    'an object that occurs twice is no cycle',
    always,
    async (harness) => {
      const part = { type: 'input_text', text: 'twice' }
      const item = { type: 'message', content: [part, part], again: { part } }
      await roundTrip(harness, [item, item])
    },
  ),
  memoryCase(
    'keeps-plain-objects-of-any-realm',
    'plain objects without a prototype, or of another realm, are plain data',
    always,
    async (harness) => {
      const bare = Object.assign(Object.create(null), { type: 'bare', list: [1] })
      const foreign = runInNewContext('({ type: "foreign", nested: { list: [1, { a: 2 }] } })')
      await roundTrip(
        harness,
        [bare, foreign],
        [
          { type: 'bare', list: [1] },
          { type: 'foreign', nested: { list: [1, { a: 2 }] } },
        ],
      )
    },
  ),
  memoryCase(
    'keeps-deep-nesting',
    '200 levels of arrays and objects come back the same',
    always,
    async (harness) => {
      let nested: unknown = 'bottom'
      for (let level = 0; level < 100; level++) nested = { level, in: [nested] }
      await roundTrip(harness, [{ type: 'deep', nested }])
    },
  ),
  memoryCase(
    'keeps-wide-items',
    '5,000 keys and 5,000 array members come back the same',
    always,
    async (harness) => {
      const keys = Array.from({ length: 5_000 }, (_, index) => [`key ${index}`, index])
      await roundTrip(harness, [
        { type: 'wide', ...Object.fromEntries(keys), list: keys.map(([, index]) => index) },
      ])
    },
  ),
  memoryCase(
    'keeps-text-of-any-length',
    'texts around every power of two up to 1 MiB, and of pairs that a cut would split, come back the same',
    always,
    async (harness) => {
      const lengths = [255, 256, 4_095, 65_535, 65_536, 249_990, 250_000, 250_001, 1_048_576]
      await roundTrip(
        harness,
        lengths.map((length) => user('x'.repeat(length))),
      )
      // One odd unit in front makes every even cut fall between the halves of a pair.
      await roundTrip(harness, [user(`x${'😀'.repeat(300_000)}`), user('\u0000'.repeat(200_000))])
    },
  ),
  memoryCase(
    'keeps-20-megabytes',
    'a text of 20 MB comes back the same, between its neighbours',
    always,
    async (harness) => {
      const line = 'The quick brown fox "jumps" over\n the lazy dog: äöü 漢字 😀 \\ '
      const text = line.repeat(Math.ceil(20_000_000 / Buffer.byteLength(line)))
      const id = harness.newId()
      const memory = await harness.open(id)
      await memory.addUserInput('before')
      await memory.addToolOutput('c1', text)
      await memory.addUserInput('after')
      for (const reader of await readersOf(harness, id, memory)) {
        const [before, long, after, ...rest] = await reader.getItems()
        assert.deepStrictEqual([before, after, rest], [user('before'), user('after'), []])
        // A comparison of its own: a failed deepStrictEqual would print 20 MB.
        assert.ok(long?.['output'] === text, 'the text of 20 MB has changed')
      }
    },
  ),
]
