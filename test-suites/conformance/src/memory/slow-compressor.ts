import assert from 'node:assert/strict'
import type { MemorySnapshot } from '@holdfast/core'
import { fold, gated } from './compressors.ts'
import {
  assertItems,
  assertTexts,
  lasting,
  plain,
  system,
  untilShown,
  user,
  whole,
} from './expect.ts'
import { all, compresses, memoryCase, persistent, snapshots } from './memory-case.ts'
import type { MemoryHarness, TestedMemory } from './memory-harness.ts'

/** A memory whose first compression waits, and a second writer: another process where there is one. */
async function openGated(harness: MemoryHarness) {
  const id = harness.newId()
  const compressor = gated(fold)
  const memory = await harness.open(id, { compressor })
  const other: TestedMemory = harness.abilities.persistent ? await harness.reopen(id) : memory
  const add = memory.addUserInput('first')
  await compressor.entered
  // The answer is not there yet and will not come: the add must be stored without it.
  if (harness.abilities.persistent) await untilShown(other, 'first')
  return {
    id,
    memory,
    other,
    async finish() {
      compressor.open()
      await add
    },
  }
}

/** How often a case's compressor spoils its own result before it gives up: far above three. */
const STUBBORN = 40

/** Compression by a promise: RULE compression on the write path. */
export const slowCompressorCases = [
  memoryCase(
    'slow-compressor-add-is-stored-first',
    'an add is stored before its compressor has answered: a kill loses nothing',
    all(compresses, persistent),
    async (harness) => {
      const { other, finish } = await openGated(harness)
      await assertItems(other, [user('first')])
      await finish()
      await assertItems(other, [system('first|')])
    },
  ),
  memoryCase(
    'slow-compressor-keeps-later-items',
    'items that another writer adds during a compression come behind its result',
    all(compresses, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await other.addUserInput('second')
      await other.addOutputItems([user('third')])
      await finish()
      for (const reader of [memory, other]) {
        await assertItems(reader, [system('first|'), user('second'), user('third')])
      }
    },
  ),
  memoryCase(
    'slow-compressor-keeps-waiting-adds',
    'adds of the same handle during a compression are neither lost nor doubled',
    compresses,
    async (harness) => {
      const { memory, finish } = await openGated(harness)
      const adds = ['second', 'third'].map((text) => memory.addUserInput(text))
      await finish()
      await Promise.all(adds)
      await assertItems(memory, [system('first|second|third|')])
    },
  ),
  memoryCase(
    'slow-compressor-clear-stays',
    'a clear during a compression is not undone by its result',
    compresses,
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      const cleared = other.clear()
      if (other !== memory) await cleared
      await finish()
      await cleared
      for (const reader of [memory, other]) {
        await assertItems(reader, [])
        assert.equal(await reader.getSummary(), undefined)
      }
    },
  ),
  memoryCase(
    'slow-compressor-clear-and-add',
    'what is added after a clear during a compression stays, and nothing of before comes back',
    all(compresses, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await other.clear()
      await other.addUserInput('after')
      await finish()
      const shown = JSON.stringify(await memory.getItems())
      assert.ok(!shown.includes('first'), shown)
      assert.ok(shown.includes('after'), shown)
    },
  ),
  memoryCase(
    'slow-compressor-later-summary-wins',
    'a summary set during a compression is not overwritten by a result that did not see it',
    all(compresses, snapshots),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      const set = whole(other).setSummary('set|')
      if (other !== memory) await set
      await finish()
      await set
      const summary = await memory.getSummary()
      assert.ok(summary?.startsWith('set|'), `the summary is ${summary}`)
      if (other !== memory) await assertItems(memory, [system('set|first|')])
    },
  ),
  memoryCase(
    'slow-compressor-later-state-wins',
    'a restore during a compression is not overwritten by its result',
    all(compresses, snapshots, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await whole(other).restore({ items: [user('restored')], summary: 'R|' })
      await finish()
      const summary = await memory.getSummary()
      assert.ok(summary === 'R|' || summary === 'R|restored|', `the summary is ${summary}`)
      assert.ok(!JSON.stringify(await memory.getItems()).includes('first'))
    },
  ),
  memoryCase(
    'slow-compressor-delete-stays',
    'a deletion during a compression is not undone by its result',
    all(compresses, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await lasting(other).delete()
      await finish()
      for (const reader of [memory, other]) {
        await assertItems(reader, [])
        assert.equal(await reader.getSummary(), undefined)
      }
    },
  ),
  memoryCase(
    'slow-compressor-recreation-stays',
    'a memory created anew during a compression gets nothing of the old one',
    all(compresses, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await lasting(other).delete()
      await other.addUserInput('new life')
      await finish()
      const shown = JSON.stringify(await memory.getItems())
      assert.ok(!shown.includes('first'), shown)
      assert.ok(shown.includes('new life'), shown)
    },
  ),
  memoryCase(
    'slow-compressor-gives-up',
    'where each compression loses to another writer, the add still resolves and the state stays as it is',
    all(compresses, snapshots, persistent),
    async (harness) => {
      const id = harness.newId()
      const other = whole(await harness.reopen(id))
      let calls = 0
      const memory = await harness.open(id, {
        compressor: {
          async compress(snapshot: MemorySnapshot) {
            calls += 1
            await untilShown(other, 'kept')
            if (calls <= STUBBORN) await other.setSummary(`changed ${calls}|`)
            return fold(snapshot)
          },
        },
      })
      await memory.addUserInput('kept')
      assert.ok(calls < STUBBORN, `${calls} compressions for one add`)
      await assertItems(memory, [system(`changed ${calls}|`), user('kept')])
    },
  ),
  memoryCase(
    'slow-compressor-equal-items',
    'the result stands for the items that it saw, even where later ones look the same',
    all(compresses, persistent),
    async (harness) => {
      const { memory, other, finish } = await openGated(harness)
      await other.addUserInput('first')
      await finish()
      await assertItems(memory, [system('first|'), user('first')])
    },
  ),
  memoryCase(
    'slow-compressor-detached',
    'what a slow compressor was given does not change while it runs',
    all(compresses, persistent),
    async (harness) => {
      const id = harness.newId()
      const other = await harness.reopen(id)
      const states: [before: unknown, after: unknown][] = []
      const memory = await harness.open(id, {
        compressor: {
          async compress(snapshot) {
            const before = structuredClone(plain(snapshot))
            await untilShown(other, 'first')
            await other.addUserInput('meanwhile')
            states.push([before, plain(snapshot)])
            return snapshot
          },
        },
      })
      await memory.addUserInput('first')
      for (const [before, after] of states) assert.deepStrictEqual(after, before)
      await assertTexts(memory, ['first', ...states.map(() => 'meanwhile')])
    },
  ),
]
