import assert from 'node:assert/strict'
import { fold, recording } from './compressors.ts'
import {
  assertItems,
  assistant,
  openWhole,
  plain,
  readersOf,
  system,
  user,
  whole,
} from './expect.ts'
import { all, compresses, memoryCase, persistent, snapshots } from './memory-case.ts'

/** RULE summary injection. */
export const summaryCases = [
  memoryCase(
    'summary-one-system-message-first',
    'a summary makes getItems() start with exactly one system message',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.addUserInput('hello')
      await memory.addOutputItems([assistant('hi')])
      await memory.setSummary('They greeted each other.')
      await assertItems(memory, [
        system('They greeted each other.'),
        user('hello'),
        assistant('hi'),
      ])
      assert.equal(await memory.getSummary(), 'They greeted each other.')
    },
  ),
  memoryCase(
    'summary-alone',
    'a summary without items is shown too',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.setSummary('Nothing else.')
      await assertItems(memory, [system('Nothing else.')])
    },
  ),
  memoryCase(
    'summary-blank-adds-nothing',
    'a blank or absent summary adds nothing to getItems()',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.addUserInput('hello')
      await assertItems(memory, [user('hello')])
      for (const blank of ['', ' ', '\n\t  ', '\u00a0', undefined]) {
        await memory.setSummary(blank)
        await assertItems(memory, [user('hello')])
      }
    },
  ),
  memoryCase(
    'summary-never-stored',
    'the injected message is no item: snapshot → restore → snapshot is the identity, ten times over',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.addUserInput('hello')
      await memory.setSummary('The story so far.')
      const expected = { items: [user('hello')], summary: 'The story so far.' }
      for (let round = 0; round < 10; round++) {
        await memory.getItems()
        const snapshot = await memory.snapshot()
        assert.deepStrictEqual(plain(snapshot), expected)
        await memory.restore(snapshot)
      }
      for (const reader of await readersOf(harness, id, memory)) {
        assert.deepStrictEqual(plain(await whole(reader).snapshot()), expected)
        await assertItems(reader, [system('The story so far.'), user('hello')])
      }
    },
  ),
  memoryCase(
    'summary-not-stored-by-adds',
    'an add behind a summary stores its own item and nothing else',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.setSummary('S')
      await memory.addUserInput('one')
      await memory.addOutputItems([assistant('two')])
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('one'), assistant('two')],
        summary: 'S',
      })
    },
  ),
  memoryCase(
    'summary-once-after-resume',
    'one handle after the other, each adding one item, still shows one system message',
    all(snapshots, persistent),
    async (harness) => {
      const id = harness.newId()
      await (await openWhole(harness, id)).setSummary('S')
      const texts: string[] = []
      for (let round = 0; round < 5; round++) {
        const memory = round % 2 === 0 ? await harness.reopen(id) : await harness.open(id)
        texts.push(`turn ${round}`)
        await memory.addUserInput(`turn ${round}`)
        await assertItems(memory, [system('S'), ...texts.map(user)])
      }
    },
  ),
  memoryCase(
    'summary-equal-item-kept',
    "a user's own system message with the summary's text stays an item",
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.addUserInput(system('S'))
      await memory.setSummary('S')
      await assertItems(memory, [system('S'), system('S')])
      assert.deepStrictEqual(plain(await memory.snapshot()), { items: [system('S')], summary: 'S' })
    },
  ),
  memoryCase(
    'summary-text-unchanged',
    'the text of a summary comes back as it was given: blanks, U+0000 and lone surrogates included',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      for (const text of ['  padded \n', 'a\u0000b', 'a\ud800b', '["x"]', '😀'.repeat(500)]) {
        await memory.setSummary(text)
        for (const reader of await readersOf(harness, id, memory)) {
          assert.equal(await reader.getSummary(), text)
          await assertItems(reader, [system(text)])
        }
      }
    },
  ),
  memoryCase(
    'summary-set-and-removed',
    'setSummary replaces the summary and leaves the items; undefined removes it',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.addUserInput('hello')
      await memory.setSummary('first')
      await memory.setSummary('second')
      await assertItems(memory, [system('second'), user('hello')])
      await memory.setSummary(undefined)
      for (const reader of await readersOf(harness, id, memory)) {
        assert.equal(await reader.getSummary(), undefined)
        await assertItems(reader, [user('hello')])
      }
    },
  ),
  memoryCase(
    'summary-from-a-compressor',
    'a summary that a compressor made is shown, and shown to it again as summary, not as item',
    compresses,
    async (harness) => {
      const compressor = recording(fold)
      const memory = await harness.open(harness.newId(), { compressor })
      await memory.addUserInput('one')
      await assertItems(memory, [system('one|')])
      await memory.addUserInput('two')
      await assertItems(memory, [system('one|two|')])
      assert.equal(await memory.getSummary(), 'one|two|')
      assert.deepStrictEqual(plain(compressor.seen.at(-1) ?? { items: [] }), {
        items: [user('two')],
        summary: 'one|',
      })
    },
  ),
]
