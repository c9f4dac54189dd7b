import assert from 'node:assert/strict'
import type { AgentItem } from '@holdfast/core'
import {
  assertItems,
  lasting,
  openWhole,
  plain,
  readersOf,
  system,
  toolOutput,
  user,
} from './expect.ts'
import { always, memoryCase, persistent, snapshots } from './memory-case.ts'

/** Changes everything about `items` that can be reached from them. */
function spoil(items: readonly AgentItem[]): void {
  for (const item of items) {
    for (const value of Object.values(item)) {
      if (Array.isArray(value)) {
        for (const part of value)
          if (typeof part === 'object') Object.assign(part, { text: 'spoilt' })
        value.push({ spoilt: true })
      }
    }
    Object.assign(item, { role: 'spoilt', spoilt: true })
  }
  ;(items as AgentItem[]).push({ spoilt: true })
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze)
  return Object.freeze(value)
}

/** RULE no aliasing. */
export const aliasingCases = [
  memoryCase(
    'aliasing-input-after-the-call',
    'an item that the caller changes right after the call, or later, is stored as it was',
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      const single = user('one')
      const batch = [user('two'), user('three')]
      const parts = [{ type: 'input_text', text: 'four' }]
      const more = [user('five')]
      const adds = [
        memory.addUserInput(single),
        memory.addOutputItems(batch),
        memory.addToolOutput('c1', parts),
        memory.addUserInput(more),
      ]
      for (const items of [[single], batch, parts, more]) spoil(items)
      await Promise.all(adds)
      for (const items of [[single], batch, parts, more]) spoil(items)
      const expected = [
        user('one'),
        user('two'),
        user('three'),
        toolOutput('c1', [{ type: 'input_text', text: 'four' }]),
        user('five'),
      ]
      for (const reader of await readersOf(harness, id, memory)) await assertItems(reader, expected)
    },
  ),
  memoryCase(
    'aliasing-read-items',
    "items that were read are the reader's own",
    always,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id)
      await memory.addUserInput('one')
      for (const reader of await readersOf(harness, id, memory)) {
        const [first, second] = [await reader.getItems(), await reader.getItems()]
        spoil(first)
        assert.deepStrictEqual(second, [user('one')])
        await assertItems(reader, [user('one')])
      }
      await assertItems(memory, [user('one')])
    },
  ),
  memoryCase(
    'aliasing-injected-message',
    'changing the injected system message changes nothing',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.setSummary('S')
      await memory.addUserInput('one')
      spoil(await memory.getItems())
      await assertItems(memory, [system('S'), user('one')])
    },
  ),
  memoryCase(
    'aliasing-snapshot',
    "a snapshot is detached both ways: the memory goes on without it, and it is the caller's own",
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.restore({ items: [user('one')], summary: 'S' })
      const before = await memory.snapshot()
      await memory.addUserInput('two')
      await memory.setSummary('T')
      assert.deepStrictEqual(plain(before), { items: [user('one')], summary: 'S' })
      spoil(before.items)
      ;(before as { summary?: string }).summary = 'spoilt'
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('one'), user('two')],
        summary: 'T',
      })
    },
  ),
  memoryCase(
    'aliasing-restore',
    'a snapshot that is changed after restore was called is stored as it was',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      const given = { items: [user('one')], summary: 'S' }
      const restored = memory.restore(given)
      spoil(given.items)
      given.summary = 'spoilt'
      await restored
      spoil(given.items)
      await assertItems(memory, [system('S'), user('one')])
    },
  ),
  memoryCase(
    'aliasing-update',
    'what update is given, answers and resolves to are three copies',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.addUserInput('one')
      let answer: { items: AgentItem[] } = { items: [] }
      const result = await memory.update((current) => {
        answer = { items: [...structuredClone(current.items), user('two')] }
        spoil(current.items)
        return answer
      })
      const expected = [user('one'), user('two')]
      assert.deepStrictEqual([...result.items], expected)
      spoil(answer.items)
      assert.deepStrictEqual([...result.items], expected)
      spoil(result.items)
      await assertItems(memory, expected)
    },
  ),
  memoryCase(
    'aliasing-update-that-throws',
    'a change that spoils what it was given and throws has changed nothing',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await memory.addUserInput('one')
      const error = new Error('changed my mind')
      await assert.rejects(
        memory.update((current) => {
          spoil(current.items)
          throw error
        }),
        (reason) => reason === error,
      )
      await assertItems(memory, [user('one')])
    },
  ),
  memoryCase(
    'aliasing-adopt',
    'a snapshot that is changed after adopt was called is stored as it was',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      const given = { items: [user('one')], summary: 'S' }
      const adopted = memory.adopt(given)
      spoil(given.items)
      given.summary = 'spoilt'
      assert.equal(await adopted, true)
      for (const reader of await readersOf(harness, id, memory)) {
        await assertItems(reader, [system('S'), user('one')])
      }
    },
  ),
  memoryCase(
    'aliasing-frozen-input',
    'frozen items are accepted, and what is read can be changed',
    always,
    async (harness) => {
      const memory = await harness.open(harness.newId())
      await memory.addOutputItems(freeze([user('one')]))
      await memory.addToolOutput('c1', freeze([{ type: 'input_text', text: 'two' }]))
      spoil(await memory.getItems())
      await assertItems(memory, [
        user('one'),
        toolOutput('c1', [{ type: 'input_text', text: 'two' }]),
      ])
    },
  ),
]
