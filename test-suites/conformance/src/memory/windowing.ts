import assert from 'node:assert/strict'
import { WindowedMemoryCompressor } from '@holdfast/core'
import {
  assertItems,
  assertTexts,
  assistant,
  call,
  plain,
  readersOf,
  toolOutput,
  user,
  whole,
} from './expect.ts'
import { all, compresses, memoryCase, persistent, snapshots } from './memory-case.ts'

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `item ${from + index}`)

/** RULE windowing. */
export const windowingCases = [
  memoryCase(
    'window-exactly-the-last',
    'a window of n keeps exactly the last n items, for n of 1, 3 and 10',
    compresses,
    async (harness) => {
      for (const size of [1, 3, 10]) {
        const id = harness.newId()
        const compressor = new WindowedMemoryCompressor(size)
        const memory = await harness.open(id, { compressor })
        for (let n = 1; n <= 15; n++) {
          await memory.addUserInput(`item ${n}`)
          await assertTexts(memory, numbered(Math.max(1, n - size + 1), n))
        }
        for (const reader of await readersOf(harness, id, memory)) {
          await assertTexts(reader, numbered(15 - size + 1, 15))
        }
      }
    },
  ),
  memoryCase(
    'window-cuts-through-batches',
    'a window cuts between the items of a batch where the count says so',
    compresses,
    async (harness) => {
      const id = harness.newId()
      const compressor = new WindowedMemoryCompressor(3)
      const memory = await harness.open(id, { compressor })
      await memory.addOutputItems(numbered(1, 5).map(user))
      await assertTexts(memory, numbered(3, 5))
      await memory.addOutputItems(numbered(6, 7).map(assistant))
      await assertTexts(memory, numbered(5, 7))
      for (const reader of await readersOf(harness, id, memory)) {
        await assertTexts(reader, numbered(5, 7))
      }
    },
  ),
  memoryCase(
    'window-keeps-the-summary',
    'a window leaves the summary, however many items have gone by since it was set',
    all(compresses, snapshots),
    async (harness) => {
      const id = harness.newId()
      const compressor = new WindowedMemoryCompressor(3)
      const memory = whole(await harness.open(id, { compressor }))
      await memory.addUserInput('item 1')
      await memory.setSummary('S')
      for (let n = 2; n <= 12; n++) await memory.addUserInput(`item ${n}`)
      for (const reader of await readersOf(harness, id, memory)) {
        assert.deepStrictEqual(plain(await whole(reader).snapshot()), {
          items: numbered(10, 12).map(user),
          summary: 'S',
        })
      }
    },
  ),
  memoryCase(
    'window-touches-nothing-else',
    'a window parts a call from its output where the count says so: memory keeps the truth',
    compresses,
    async (harness) => {
      const memory = await harness.open(harness.newId(), {
        compressor: new WindowedMemoryCompressor(2),
      })
      await memory.addUserInput('go')
      await memory.addOutputItems([call('c1')])
      await memory.addToolOutput('c1', 'done')
      await memory.addOutputItems([assistant('there')])
      await assertItems(memory, [toolOutput('c1', 'done'), assistant('there')])
    },
  ),
  memoryCase(
    'window-counts-equal-items',
    'items that look the same are counted one by one',
    compresses,
    async (harness) => {
      const id = harness.newId()
      const compressor = new WindowedMemoryCompressor(3)
      const memory = await harness.open(id, { compressor })
      for (let n = 0; n < 5; n++) await memory.addUserInput('same')
      await memory.addUserInput('other')
      for (const reader of await readersOf(harness, id, memory)) {
        await assertTexts(reader, ['same', 'same', 'other'])
      }
    },
  ),
  memoryCase(
    'window-read-by-another-process',
    'a reader that follows a windowed writer sees the last n items after every step',
    all(compresses, persistent),
    async (harness) => {
      const id = harness.newId()
      const compressor = new WindowedMemoryCompressor(4)
      const writer = await harness.open(id, { compressor })
      const often = await harness.reopen(id)
      const seldom = await harness.reopen(id)
      for (let n = 1; n <= 24; n++) {
        await writer.addUserInput(`item ${n}`)
        await assertTexts(often, numbered(Math.max(1, n - 3), n))
        if (n % 6 === 0) await assertTexts(seldom, numbered(n - 3, n))
      }
    },
  ),
]
