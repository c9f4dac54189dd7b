import assert from 'node:assert/strict'
import { fold } from './compressors.ts'
import {
  assertItems,
  assertTexts,
  assistant,
  call,
  openWhole,
  plain,
  readersOf,
  system,
  textsOf,
  toolOutput,
  user,
} from './expect.ts'
import { always, compresses, memoryCase, snapshots } from './memory-case.ts'

const numbered = (count: number, of = 'item') =>
  Array.from({ length: count }, (_, index) => `${of} ${index}`)

/** RULE order. */
export const orderCases = [
  memoryCase(
    'order-past-every-power-of-ten',
    '1,200 items come back in the order in which they were written',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      const texts = numbered(1_200)
      for (let n = 0; n < 15; n++) await memory.addUserInput(texts[n])
      for (let n = 15; n < texts.length; n += 79) {
        await memory.addOutputItems(texts.slice(n, n + 79).map(user))
      }
      for (const reader of await readersOf(harness, id, memory)) await assertTexts(reader, texts)
    },
  ),
  memoryCase(
    'order-within-a-millisecond',
    '200 adds at once, many in one tick of the clock, keep their order',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      const texts = numbered(200)
      await Promise.all(texts.map((text) => memory.addUserInput(text)))
      for (const reader of await readersOf(harness, id, memory)) await assertTexts(reader, texts)
    },
  ),
  memoryCase(
    'order-unawaited-adds',
    'calls of different kinds take effect in call order though nobody awaits them',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await Promise.all([
        memory.addUserInput('gone'),
        memory.addOutputItems([assistant('gone too')]),
        memory.clear(),
        memory.addUserInput('one'),
        memory.addOutputItems([assistant('two'), call('c1')]),
        memory.addToolOutput('c1', 'three'),
        memory.addUserInput([user('four')]),
      ])
      await assertItems(memory, [
        user('one'),
        assistant('two'),
        call('c1'),
        toolOutput('c1', 'three'),
        user('four'),
      ])
    },
  ),
  memoryCase(
    'order-unawaited-reads',
    'a read that nobody awaited yet sees exactly the calls before it',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const first = memory.addUserInput('one')
      const early = memory.getItems()
      const second = memory.addUserInput('two')
      const late = memory.getItems()
      await Promise.all([first, second])
      assert.deepStrictEqual(textsOf(await early), ['one'])
      assert.deepStrictEqual(textsOf(await late), ['one', 'two'])
    },
  ),
  memoryCase(
    'order-unawaited-changes',
    'restore, update, setSummary and adds take effect in call order',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      const [, , , , early] = await Promise.all([
        memory.addUserInput('gone'),
        memory.restore({ items: [user('one')], summary: 'gone' }),
        memory.setSummary('S'),
        memory.addUserInput('two'),
        memory.snapshot(),
        memory.update(({ items, summary }) => ({
          items: items.slice(1),
          summary: `${summary}${items.length}`,
        })),
        memory.addUserInput('three'),
      ])
      assert.deepStrictEqual(plain(early), { items: [user('one'), user('two')], summary: 'S' })
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('two'), user('three')],
        summary: 'S2',
      })
    },
  ),
  memoryCase(
    'order-after-a-refused-call',
    'a call that is refused between others holds none of them up',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      const results = await Promise.allSettled([
        memory.addUserInput('one'),
        memory.addToolOutput('', 'refused'),
        memory.addOutputItems([{ type: 'x', at: new Date(0) }]),
        memory.addUserInput('two'),
      ])
      assert.deepStrictEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      )
      await assertTexts(memory, ['one', 'two'])
    },
  ),
  memoryCase(
    'order-parallel-tool-outputs',
    'parallel tool outputs are all present, each once, in call order',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      const calls = Array.from({ length: 20 }, (_, index) => `c${index}`)
      await memory.addOutputItems(calls.map(call))
      await Promise.all(calls.map((callId) => memory.addToolOutput(callId, `of ${callId}`)))
      for (const reader of await readersOf(harness, id, memory)) {
        await assertItems(reader, [
          ...calls.map(call),
          ...calls.map((callId) => toolOutput(callId, `of ${callId}`)),
        ])
      }
    },
  ),
  memoryCase(
    'order-parallel-adds-compressed',
    'parallel adds in front of a compressor are each counted once and in order',
    compresses,
    async (harness) => {
      const texts = numbered(12)
      const folded = [system(texts.map((text) => `${text}|`).join(''))]
      const slow = { compress: async (snapshot: Parameters<typeof fold>[0]) => fold(snapshot) }
      for (const compressor of [{ compress: fold }, slow]) {
        const memory = await harness.open(harness.newId(), { compressor })
        await Promise.all(texts.map((text) => memory.addUserInput(text)))
        await assertItems(memory, folded)
      }
    },
  ),
  memoryCase(
    'order-equal-items-kept',
    'an item that looks like the one before is stored again',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      await memory.addUserInput('same')
      await memory.addUserInput('same')
      await memory.addOutputItems([user('same'), user('same')])
      await memory.addToolOutput('c1', 'same')
      await memory.addToolOutput('c1', 'same')
      for (const reader of await readersOf(harness, id, memory)) {
        await assertTexts(reader, ['same', 'same', 'same', 'same', 'same', 'same'])
      }
    },
  ),
]
