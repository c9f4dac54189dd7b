import assert from 'node:assert/strict'
import type { MemoryCompressor, MemorySnapshot } from '@holdfast/core'
import { fold, gate } from './compressors.ts'
import {
  assertItems,
  assertTexts,
  assistant,
  call,
  failure,
  plain,
  readersOf,
  system,
  user,
  whole,
} from './expect.ts'
import { all, compresses, memoryCase, snapshots } from './memory-case.ts'

/** Fails like `fail` until it is mended, then folds. */
function mendable(fail: (snapshot: MemorySnapshot) => unknown) {
  const compressor = {
    broken: true,
    compress: (snapshot: MemorySnapshot): MemorySnapshot =>
      (compressor.broken ? fail(snapshot) : fold(snapshot)) as MemorySnapshot,
  }
  return compressor
}

const ways: readonly [string, (error: Error) => MemoryCompressor['compress']][] = [
  [
    'throws',
    (error) => () => {
      throw error
    },
  ],
  ['rejects', (error) => async () => Promise.reject(error)],
]

/** What is no snapshot, whatever types say. */
const garbage: readonly unknown[] = [
  undefined,
  null,
  'text',
  42,
  true,
  [],
  {},
  { items: null },
  { items: 'text' },
  { items: {} },
  { items: [1] },
  { items: [null] },
  { items: [[user('nested')]] },
  { items: [], summary: 7 },
  { items: [{ type: 'message', at: new Date(0) }] },
  { items: [{ type: 'message', size: Number.NaN }] },
]

/** RULE a failing compressor loses nothing. */
export const failingCompressorCases = [
  ...ways.map(([way, failing]) =>
    memoryCase(
      `failing-compressor-${way}`,
      `where the compressor ${way}, the add rejects with COMPRESSION_FAILED, its cause and outcome committed, and every item is kept once`,
      compresses,
      async (harness) => {
        const id = harness.newId()
        const error = new Error('the compressor is out of order')
        const compressor = mendable(failing(error))
        const memory = await harness.open(id, { compressor })
        const adds = [
          () => memory.addUserInput('one'),
          () => memory.addOutputItems([assistant('two'), call('c1')]),
          () => memory.addToolOutput('c1', 'three'),
        ]
        for (const add of adds) {
          const failed = await failure(add(), 'COMPRESSION_FAILED', 'committed')
          assert.equal(failed.cause, error)
        }
        for (const reader of await readersOf(harness, id, memory)) {
          const items = await reader.getItems()
          assert.equal(items.length, 4)
          assert.deepStrictEqual(items.slice(0, 3), [user('one'), assistant('two'), call('c1')])
        }
      },
    ),
  ),
  memoryCase(
    'failing-compressor-next-add-compresses-all',
    'the add after a failed compression compresses everything again, each item once',
    compresses,
    async (harness) => {
      for (const [, failing] of ways) {
        const compressor = mendable(failing(new Error('out of order')))
        const memory = await harness.open(harness.newId(), { compressor })
        await failure(memory.addUserInput('one'), 'COMPRESSION_FAILED', 'committed')
        await failure(memory.addUserInput('two'), 'COMPRESSION_FAILED', 'committed')
        compressor.broken = false
        await memory.addUserInput('three')
        await assertItems(memory, [system('one|two|three|')])
      }
    },
  ),
  memoryCase(
    'failing-compressor-keeps-the-summary',
    'a failed compression leaves the summary and the items that were there',
    all(compresses, snapshots),
    async (harness) => {
      const compressor = mendable((snapshot) => {
        // Half done before it fails: what it was given is its own.
        ;(snapshot.items as unknown[]).length = 0
        ;(snapshot as { summary?: string }).summary = 'spoilt'
        throw new Error('out of order')
      })
      const memory = whole(await harness.open(harness.newId(), { compressor }))
      await memory.restore({ items: [user('one')], summary: 'S' })
      await failure(memory.addUserInput('two'), 'COMPRESSION_FAILED', 'committed')
      assert.deepStrictEqual(plain(await memory.snapshot()), {
        items: [user('one'), user('two')],
        summary: 'S',
      })
    },
  ),
  memoryCase(
    'failing-compressor-garbage',
    'a compressor that answers anything but a snapshot has failed: the state is kept',
    compresses,
    async (harness) => {
      let answer: unknown
      const compressor: MemoryCompressor = { compress: () => answer as MemorySnapshot }
      const memory = await harness.open(harness.newId(), { compressor })
      const texts: string[] = []
      for (const [index, each] of [...garbage, ...garbage].entries()) {
        answer = index < garbage.length ? each : Promise.resolve(each)
        texts.push(`turn ${index}`)
        await failure(memory.addUserInput(`turn ${index}`), 'COMPRESSION_FAILED', 'committed')
      }
      await assertTexts(memory, texts)
    },
  ),
  memoryCase(
    'failing-compressor-any-reason',
    'a compressor may throw anything, undefined too: it is the cause',
    compresses,
    async (harness) => {
      for (const reason of ['text', 0, null, undefined]) {
        const memory = await harness.open(harness.newId(), {
          compressor: {
            compress: () => {
              throw reason
            },
          },
        })
        const failed = await failure(memory.addUserInput('one'), 'COMPRESSION_FAILED', 'committed')
        assert.equal(failed.cause, reason)
        await assertItems(memory, [user('one')])
      }
    },
  ),
  memoryCase(
    'failing-compressor-frees-the-next',
    'adds that waited behind a failing compression are stored, and later adds compress again',
    compresses,
    async (harness) => {
      const release = gate()
      const compressor = mendable(async () => {
        await release.opened
        throw new Error('out of order')
      })
      const memory = await harness.open(harness.newId(), { compressor })
      const first = failure(memory.addUserInput('one'), 'COMPRESSION_FAILED', 'committed')
      const waiting = Promise.allSettled([memory.addUserInput('two'), memory.addUserInput('three')])
      release.open()
      await first
      await waiting
      compressor.broken = false
      await memory.addUserInput('four')
      await assertItems(memory, [system('one|two|three|four|')])
    },
  ),
]
