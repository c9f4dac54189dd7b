import assert from 'node:assert/strict'
import {
  assertItems,
  assertTexts,
  assistant,
  openWhole,
  plain,
  readersOf,
  system,
  user,
  whole,
} from './expect.ts'
import { all, always, memoryCase, persistent, snapshots } from './memory-case.ts'

/** Reading and changing a memory as a whole. */
export const stateCases = [
  memoryCase(
    'new-is-empty',
    'a memory that was never written to has no items and no summary',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await assertItems(memory, [])
      assert.equal(await memory.getSummary(), undefined)
      if (harness.abilities.snapshot) {
        assert.deepStrictEqual(plain(await whole(memory).snapshot()), {
          items: [],
          summary: undefined,
        })
      }
    },
  ),
  memoryCase(
    'clear-removes-items',
    'clear removes every item, and what is added afterwards stands alone',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      await memory.addOutputItems([user('one'), assistant('two')])
      await memory.clear()
      for (const reader of await readersOf(harness, id, memory)) await assertItems(reader, [])
      await memory.clear()
      await memory.addUserInput('three')
      for (const reader of await readersOf(harness, id, memory))
        await assertTexts(reader, ['three'])
    },
  ),
  memoryCase(
    'clear-removes-the-summary',
    'clear removes the summary too',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.restore({ items: [user('one')], summary: 'S' })
      await memory.clear()
      await memory.addUserInput('two')
      for (const reader of await readersOf(harness, id, memory)) {
        assert.equal(await reader.getSummary(), undefined)
        await assertItems(reader, [user('two')])
      }
    },
  ),
  memoryCase(
    'restore-overwrites',
    'restore installs exactly the snapshot, with or without items and summary, over whatever is there',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      const states = [
        { items: [user('a'), user('b'), user('c')], summary: 'S' },
        { items: [user('d')], summary: undefined },
        { items: [], summary: 'T' },
        { items: [user('e'), user('f')], summary: 'T' },
        { items: [], summary: undefined },
      ]
      await memory.addUserInput('overwritten')
      for (const state of states) {
        await memory.restore(state)
        for (const reader of await readersOf(harness, id, memory)) {
          assert.deepStrictEqual(plain(await whole(reader).snapshot()), state)
          assert.equal(await reader.getSummary(), state.summary)
        }
      }
    },
  ),
  memoryCase(
    'restore-without-a-summary-key',
    'a snapshot that has no summary key removes the summary',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.setSummary('S')
      await memory.restore({ items: [user('one')] })
      await assertItems(memory, [user('one')])
    },
  ),
  memoryCase(
    'restore-into-another-memory',
    "one memory's snapshot restored into another makes them equal, and independent",
    snapshots,
    async (harness) => {
      const source = await openWhole(harness)
      await source.restore({ items: [user('one'), assistant('two')], summary: 'S' })
      const target = await openWhole(harness)
      await target.addUserInput('overwritten')
      await target.restore(await source.snapshot())
      assert.deepStrictEqual(plain(await target.snapshot()), plain(await source.snapshot()))
      await target.addUserInput('three')
      assert.equal((await source.getItems()).length, 3)
    },
  ),
  memoryCase(
    'update-sees-and-stores',
    'update is given items and summary as stored, stores what it answers and resolves to it',
    snapshots,
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.restore({ items: [user('one')], summary: 'S' })
      const result = await memory.update((current) => {
        assert.deepStrictEqual(plain(current), { items: [user('one')], summary: 'S' })
        return { items: [...current.items, user('two')], summary: `${current.summary}T` }
      })
      const expected = { items: [user('one'), user('two')], summary: 'ST' }
      assert.deepStrictEqual(plain(result), expected)
      for (const reader of await readersOf(harness, id, memory)) {
        assert.deepStrictEqual(plain(await whole(reader).snapshot()), expected)
      }
      await memory.update(({ items }) => ({ items: items.slice(1) }))
      await assertItems(memory, [user('two')])
    },
  ),
  memoryCase(
    'update-that-changes-nothing',
    'an update that answers what it was given leaves everything as it is',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.restore({ items: [user('one')], summary: 'S' })
      const result = await memory.update((current) => current)
      assert.deepStrictEqual(plain(result), { items: [user('one')], summary: 'S' })
      await assertItems(memory, [system('S'), user('one')])
    },
  ),
  memoryCase(
    'update-sees-the-latest',
    'an update works on what is stored now, not on what its handle saw last',
    all(snapshots, persistent),
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.addUserInput('one')
      const compacted = await memory.snapshot()
      const other = await harness.reopen(id)
      await other.addUserInput('two')
      await memory.update(({ items }) => ({
        items: items.slice(compacted.items.length),
        summary: 'one',
      }))
      await assertItems(other, [system('one'), user('two')])
    },
  ),
  memoryCase(
    'summary-keeps-the-items-of-others',
    'setSummary leaves items that another writer added since',
    all(snapshots, persistent),
    async (harness) => {
      const id = harness.newId()
      const memory = await openWhole(harness, id)
      await memory.addUserInput('one')
      await (await harness.reopen(id)).addUserInput('two')
      await memory.setSummary('S')
      await assertItems(memory, [system('S'), user('one'), user('two')])
    },
  ),
]
