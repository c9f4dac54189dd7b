import assert from 'node:assert/strict'
import type { MemorySnapshot } from '@holdfast/core'
import { fold, gated, lastItems, recording } from './compressors.ts'
import {
  assertItems,
  assertTexts,
  failure,
  lasting,
  plain,
  swappable,
  system,
  user,
  whole,
} from './expect.ts'
import {
  all,
  compresses,
  memoryCase,
  persistent,
  snapshots,
  swapsEagerly,
  swapsLazily,
} from './memory-case.ts'
import type { MemoryHarness, OpenOptions } from './memory-harness.ts'

const keepOne = { compress: lastItems(1) }

/** A memory of `a`, `b`, `c`. */
async function openFilled(
  harness: MemoryHarness,
  options?: OpenOptions,
  id: string = harness.newId(),
) {
  const memory = swappable(await harness.open(id, options))
  for (const text of ['a', 'b', 'c']) await memory.addUserInput(text)
  return { id, memory }
}

/** RULE compressor swap. */
export const swapCases = [
  memoryCase(
    'swap-lazy-acts-at-the-next-add',
    'a lazy setCompressor leaves the state alone; the new compressor acts at the next add',
    swapsLazily,
    async (harness) => {
      const { memory } = await openFilled(harness)
      const compressor = recording(lastItems(2))
      await memory.setCompressor(compressor)
      assert.equal(compressor.seen.length, 0)
      await assertTexts(memory, ['a', 'b', 'c'])
      await memory.addUserInput('d')
      await assertTexts(memory, ['c', 'd'])
    },
  ),
  memoryCase(
    'swap-eager-rewrites-at-once',
    'an eager setCompressor has rewritten the stored state when it resolves',
    swapsEagerly,
    async (harness) => {
      const { id, memory } = await openFilled(harness)
      await memory.setCompressor({ compress: lastItems(2) })
      await assertTexts(memory, ['b', 'c'])
      if (harness.abilities.persistent) await assertTexts(await harness.reopen(id), ['b', 'c'])
      await memory.setCompressor({ compress: async (snapshot) => lastItems(1)(snapshot) })
      await assertTexts(memory, ['c'])
      if (harness.abilities.persistent) await assertTexts(await harness.reopen(id), ['c'])
      await memory.addUserInput('d')
      await assertTexts(memory, ['d'])
    },
  ),
  memoryCase(
    'swap-eager-sees-the-whole-state',
    'an eager setCompressor shows the compressor items and summary as stored',
    all(swapsEagerly, snapshots),
    async (harness) => {
      const { memory } = await openFilled(harness)
      await whole(memory).setSummary('S')
      const compressor = recording()
      await memory.setCompressor(compressor)
      assert.deepStrictEqual(plain(compressor.seen.at(-1) ?? assert.fail('never ran')), {
        items: [user('a'), user('b'), user('c')],
        summary: 'S',
      })
      await assertItems(memory, [system('S'), user('a'), user('b'), user('c')])
    },
  ),
  memoryCase(
    'swap-eager-failure-changes-nothing',
    'where an eager setCompressor fails, neither state nor compressor has changed',
    swapsEagerly,
    async (harness) => {
      const error = new Error('out of order')
      const failing: (() => unknown)[] = [
        () => {
          throw error
        },
        () => Promise.reject(error),
        () => undefined,
        () => Promise.resolve({ items: 'text' }),
      ]
      for (const [index, compress] of failing.entries()) {
        const { id, memory } = await openFilled(harness, { compressor: { compress: lastItems(2) } })
        const failed = await failure(
          memory.setCompressor({ compress: compress as () => MemorySnapshot }),
          'COMPRESSION_FAILED',
          'not-committed',
        )
        if (index < 2) assert.equal(failed.cause, error)
        await assertTexts(memory, ['b', 'c'])
        await memory.addUserInput('d')
        await assertTexts(memory, ['c', 'd'])
        if (harness.abilities.persistent) await assertTexts(await harness.reopen(id), ['c', 'd'])
      }
    },
  ),
  memoryCase(
    'swap-eager-lost-races',
    'an eager setCompressor that loses to another writer again and again is CONFLICT and changes nothing',
    all(swapsEagerly, snapshots, persistent),
    async (harness) => {
      const { id, memory } = await openFilled(harness, { compressor: { compress: lastItems(2) } })
      const other = whole(await harness.reopen(id))
      let calls = 0
      await failure(
        memory.setCompressor({
          async compress(snapshot) {
            calls += 1
            if (calls <= 40) await other.setSummary(`changed ${calls}`)
            return fold(snapshot)
          },
        }),
        'CONFLICT',
        'not-committed',
      )
      await assertItems(other, [system(`changed ${calls}`), user('b'), user('c')])
      await memory.addUserInput('d')
      await assertItems(other, [system(`changed ${calls}`), user('c'), user('d')])
    },
  ),
  memoryCase(
    'swap-eager-keeps-later-items',
    'items that another writer adds during an eager swap come behind its result',
    all(swapsEagerly, persistent),
    async (harness) => {
      const { id, memory } = await openFilled(harness)
      const other = await harness.reopen(id)
      const compressor = gated(fold)
      const swap = memory.setCompressor(compressor)
      await compressor.entered
      await other.addUserInput('later')
      compressor.open()
      await swap
      await assertItems(memory, [system('a|b|c|'), user('later')])
    },
  ),
  memoryCase(
    'swap-eager-deletion-stays',
    'a deletion during an eager swap is not undone by it',
    all(swapsEagerly, persistent),
    async (harness) => {
      const { id, memory } = await openFilled(harness)
      const other = lasting(await harness.reopen(id))
      const compressor = gated(fold)
      const swap = memory.setCompressor(compressor)
      await compressor.entered
      await other.delete()
      compressor.open()
      // With nothing left to compress it may resolve, or say that it lost.
      await swap.catch(() => {})
      await assertItems(other, [])
      await assertItems(memory, [])
    },
  ),
  memoryCase(
    'swap-to-none',
    'setCompressor(undefined) changes no state, and the next add is not compressed',
    compresses,
    async (harness) => {
      const { memory } = await openFilled(harness, { compressor: { compress: lastItems(2) } })
      await memory.setCompressor(undefined)
      await assertTexts(memory, ['b', 'c'])
      await memory.addUserInput('d')
      await assertTexts(memory, ['b', 'c', 'd'])
    },
  ),
  memoryCase(
    'swap-in-call-order',
    'an add uses the compressor that is set when its turn comes',
    compresses,
    async (harness) => {
      const before = recording()
      const after = recording()
      const memory = swappable(await harness.open(harness.newId(), { compressor: before }))
      const calls = [
        memory.addUserInput('old'),
        memory.setCompressor(after),
        memory.addUserInput('new'),
      ]
      await Promise.all(calls)
      assert.ok(before.seen.length > 0)
      for (const { items } of before.seen) assert.deepStrictEqual([...items], [user('old')])
      assert.deepStrictEqual([...(after.seen.at(-1)?.items ?? [])], [user('old'), user('new')])
    },
  ),
  memoryCase(
    'swap-belongs-to-its-handle',
    'a swap leaves the compressors of other handles on the same id alone',
    all(compresses, persistent),
    async (harness) => {
      const { id, memory } = await openFilled(harness)
      const other = await harness.open(id)
      await memory.setCompressor(keepOne)
      await other.addUserInput('d')
      await other.addUserInput('e')
      const texts = harness.abilities.swap === 'eager' ? ['c', 'd', 'e'] : ['a', 'b', 'c', 'd', 'e']
      await assertTexts(other, texts)
      await memory.addUserInput('f')
      await assertTexts(other, ['f'])
    },
  ),
  memoryCase(
    'swap-refuses-garbage',
    'setCompressor refuses what has no compress method with INVALID_ARGUMENT and changes nothing',
    compresses,
    async (harness) => {
      const { memory } = await openFilled(harness, { compressor: { compress: lastItems(2) } })
      for (const wrong of [null, 'text', {}, { compress: 'text' }, () => ({ items: [] })]) {
        await failure(memory.setCompressor(wrong as never), 'INVALID_ARGUMENT')
      }
      await memory.addUserInput('d')
      await assertTexts(memory, ['c', 'd'])
    },
  ),
]
