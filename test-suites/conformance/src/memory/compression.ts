import assert from 'node:assert/strict'
import type { MemorySnapshot } from '@holdfast/core'
import { fold, gate, lastItems, recording } from './compressors.ts'
import {
  assertItems,
  assertTexts,
  assistant,
  call,
  lasting,
  plain,
  readersOf,
  system,
  toolOutput,
  user,
  whole,
} from './expect.ts'
import { all, compresses, memoryCase, persistent, snapshots } from './memory-case.ts'

const last = (seen: readonly MemorySnapshot[]) => plain(seen.at(-1) ?? assert.fail('never ran'))

/** RULE compression on the write path. */
export const compressionCases = [
  memoryCase(
    'compressor-sees-the-whole-state',
    'the compressor is given everything: what was there and what is being added',
    compresses,
    async (harness) => {
      const compressor = recording()
      const memory = await harness.open(harness.newId(), { compressor })
      await memory.addUserInput('one')
      await memory.addOutputItems([assistant('two'), call('c1')])
      await memory.addToolOutput('c1', 'three')
      assert.deepStrictEqual(last(compressor.seen), {
        items: [user('one'), assistant('two'), call('c1'), toolOutput('c1', 'three')],
        summary: undefined,
      })
    },
  ),
  memoryCase(
    'compressor-sees-the-summary-as-summary',
    'the compressor is given the summary, and no injected system message among the items',
    all(compresses, snapshots),
    async (harness) => {
      const compressor = recording()
      const memory = whole(await harness.open(harness.newId(), { compressor }))
      await memory.setSummary('S')
      await memory.addUserInput('one')
      assert.deepStrictEqual(last(compressor.seen), { items: [user('one')], summary: 'S' })
    },
  ),
  memoryCase(
    'compressor-sees-batches-whole',
    'the compressor never sees a part of a batch',
    compresses,
    async (harness) => {
      const compressor = recording()
      const memory = await harness.open(harness.newId(), { compressor })
      await memory.addOutputItems([assistant('a'), call('c1'), { type: 'reasoning' }])
      await memory.addUserInput([user('b'), user('c'), user('d')])
      for (const { items } of compressor.seen) assert.equal(items.length % 3, 0)
      assert.ok(compressor.seen.some(({ items }) => items.length === 6))
    },
  ),
  memoryCase(
    'compressor-runs-on-every-add',
    'each kind of add runs the compressor before it resolves, and nothing runs it afterwards',
    compresses,
    async (harness) => {
      const compressor = recording()
      const memory = await harness.open(harness.newId(), { compressor })
      const adds = [
        () => memory.addUserInput('one'),
        () => memory.addOutputItems([assistant('two')]),
        () => memory.addToolOutput('c1', 'three'),
      ]
      for (const add of adds) {
        compressor.seen.length = 0
        await add()
        const calls = compressor.seen.length
        assert.ok(calls > 0, 'the compressor ran before the add resolved')
        await new Promise((resolve) => setTimeout(resolve, 0))
        assert.equal(compressor.seen.length, calls, 'and not again later')
      }
    },
  ),
  memoryCase(
    'compressor-result-is-stored-when-the-add-resolves',
    'what the compressor answered is the state when the add resolves, synchronous or not',
    compresses,
    async (harness) => {
      const keepTwo = lastItems(2)
      const compressors = [
        { compress: keepTwo },
        { compress: async (snapshot: MemorySnapshot) => keepTwo(snapshot) },
      ]
      for (const compressor of compressors) {
        const id = harness.newId()
        const memory = await harness.open(id, { compressor })
        for (let n = 1; n <= 5; n++) {
          await memory.addUserInput(`item ${n}`)
          const expected = n === 1 ? ['item 1'] : [`item ${n - 1}`, `item ${n}`]
          for (const reader of await readersOf(harness, id, memory)) {
            await assertTexts(reader, expected)
          }
        }
      }
    },
  ),
  memoryCase(
    'compressor-may-rewrite-everything',
    'the compressor may drop, change, reorder and invent items and set or remove the summary',
    compresses,
    async (harness) => {
      const id = harness.newId()
      const answers: MemorySnapshot[] = [
        { items: [user('invented'), { type: 'other' }], summary: 'made' },
        { items: [{ type: 'other' }, user('changed')], summary: 'remade' },
        { items: [user('changed')] },
        { items: [], summary: 'only a summary' },
        { items: [] },
      ]
      let turn = 0
      const memory = await harness.open(id, {
        compressor: { compress: () => answers[turn] as MemorySnapshot },
      })
      for (const answer of answers) {
        await memory.addUserInput('replaced')
        turn += 1
        const injected = answer.summary === undefined ? [] : [system(answer.summary)]
        for (const reader of await readersOf(harness, id, memory)) {
          await assertItems(reader, [...injected, ...answer.items])
          assert.equal(await reader.getSummary(), answer.summary)
        }
      }
    },
  ),
  memoryCase(
    'compressor-keeps-its-this',
    'compress is called as a method of the compressor',
    compresses,
    async (harness) => {
      class Bounded {
        readonly limit = 1
        compress(snapshot: MemorySnapshot): MemorySnapshot {
          return { ...snapshot, items: snapshot.items.slice(-this.limit) }
        }
      }
      const memory = await harness.open(harness.newId(), { compressor: new Bounded() })
      await memory.addUserInput('one')
      await memory.addUserInput('two')
      await assertTexts(memory, ['two'])
    },
  ),
  memoryCase(
    'compressor-not-run-by-reads-and-clear',
    'reading and clear do not run the compressor',
    compresses,
    async (harness) => {
      const compressor = recording()
      const memory = await harness.open(harness.newId(), { compressor })
      await memory.addUserInput('one')
      compressor.seen.length = 0
      await memory.getItems()
      await memory.getSummary()
      await memory.clear()
      assert.equal(compressor.seen.length, 0)
    },
  ),
  memoryCase(
    'compressor-not-run-by-restore-update-and-summary',
    'restore, update, setSummary and snapshot do not run the compressor',
    all(compresses, snapshots),
    async (harness) => {
      const compressor = recording(lastItems(1))
      const memory = whole(await harness.open(harness.newId(), { compressor }))
      await memory.restore({ items: [user('a'), user('b')] })
      await memory.update(({ items }) => ({ items: [...items, user('c')] }))
      await memory.setSummary('S')
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('a'), user('b'), user('c')],
        summary: 'S',
      })
      assert.equal(compressor.seen.length, 0)
    },
  ),
  memoryCase(
    'compressor-not-run-by-opening-and-adopt',
    'opening a memory and adopt do not run the compressor',
    all(compresses, persistent),
    async (harness) => {
      const id = harness.newId()
      const compressor = recording(lastItems(1))
      const first = lasting(await harness.open(id, { compressor }))
      assert.equal(await first.adopt({ items: [user('a'), user('b')] }), true)
      const second = await harness.reopen(id, { compressor })
      await assertTexts(second, ['a', 'b'])
      assert.equal(compressor.seen.length, 0)
    },
  ),
  memoryCase(
    'compressor-belongs-to-its-handle',
    'a compressor acts on the adds of its handle alone',
    all(compresses, persistent),
    async (harness) => {
      const id = harness.newId()
      const windowed = await harness.open(id, { compressor: { compress: lastItems(1) } })
      const others = [await harness.open(id), await harness.reopen(id)]
      await windowed.addUserInput('a')
      for (const other of others) await other.addUserInput('b')
      await assertTexts(windowed, ['a', 'b', 'b'])
      await windowed.addUserInput('c')
      await assertTexts(others[1] as typeof windowed, ['c'])
    },
  ),
  memoryCase(
    'compressor-mutates-its-copy',
    'what a compressor does to the snapshot it was given changes nothing',
    compresses,
    async (harness) => {
      const id = harness.newId()
      const memory = await harness.open(id, {
        compressor: {
          compress(snapshot) {
            const answer = structuredClone(snapshot)
            const items = snapshot.items as { content: { text: string }[] }[]
            for (const item of items) for (const part of item.content) part.text = 'spoilt'
            items.length = 0
            return answer
          },
        },
      })
      await memory.addUserInput('one')
      await memory.addUserInput('two')
      for (const reader of await readersOf(harness, id, memory)) {
        await assertItems(reader, [user('one'), user('two')])
      }
    },
  ),
  memoryCase(
    'compressor-answer-is-copied',
    'what a compressor does to its answer afterwards changes nothing',
    compresses,
    async (harness) => {
      const kept: { items: { content: { text: string }[] }[]; summary: string }[] = []
      const memory = await harness.open(harness.newId(), {
        compressor: {
          compress(snapshot) {
            const answer = { items: structuredClone([...snapshot.items]), summary: 'S' }
            kept.push(answer as never)
            return answer
          },
        },
      })
      await memory.addUserInput('one')
      for (const answer of kept) {
        const [part] = answer.items[0]?.content ?? []
        if (part) part.text = 'spoilt'
        answer.items.push({ content: [] })
        answer.summary = 'spoilt'
      }
      await assertItems(memory, [system('S'), user('one')])
    },
  ),
  memoryCase(
    'compressor-one-at-a-time',
    'adds that wait for a compression share the next one; two never run at once',
    compresses,
    async (harness) => {
      const release = gate()
      // Over a storage by state: an attempt whose answer was lost may ask again about the same one.
      const running = new Map<string, number>()
      const asked = new Set<string>()
      let most = 0
      const memory = await harness.open(harness.newId(), {
        compressor: {
          async compress(snapshot) {
            const again = harness.abilities.persistent ? '' : ` ${asked.size}`
            const state = `${JSON.stringify(snapshot)}${again}`
            asked.add(state)
            running.set(state, (running.get(state) ?? 0) + 1)
            most = Math.max(most, running.size)
            await release.opened
            const left = (running.get(state) ?? 0) - 1
            if (left > 0) running.set(state, left)
            else running.delete(state)
            return fold(snapshot)
          },
        },
      })
      const texts = Array.from({ length: 9 }, (_, n) => `t${n}`)
      const adds = texts.map((text) => memory.addUserInput(text))
      release.open()
      await Promise.all(adds)
      assert.equal(most, 1)
      assert.ok(asked.size <= 5, `${asked.size} compressions of 9 adds that waited together`)
      await assertItems(memory, [system(texts.map((text) => `${text}|`).join(''))])
    },
  ),
]
