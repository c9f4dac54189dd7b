import assert from 'node:assert/strict'
import { type AgentItem, WindowedMemoryCompressor } from '@holdfast/core'
import { fold } from './compressors.ts'
import { assertItems, assistant, call, openWhole, textsOf, user, whole } from './expect.ts'
import { all, always, compresses, memoryRace, persistent, snapshots } from './memory-case.ts'
import type { MemoryHarness, OpenOptions } from './memory-harness.ts'

/** Four handles on one id: two in each process. */
async function openWriters(harness: MemoryHarness, options?: OpenOptions) {
  const id = harness.newId()
  const writers = await Promise.all([
    harness.open(id, options),
    harness.open(id, options),
    harness.reopen(id, options),
    harness.reopen(id, options),
  ])
  return { id, writers }
}

/** The numbers of writer `of` among texts like `2/17`. */
const numbersOf = (texts: readonly string[], of: number) =>
  texts.filter((text) => text.startsWith(`${of}/`)).map((text) => Number(text.slice(2)))

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Adds `batch` `times` times beside a reader, which must never see a part of one. */
async function assertSeenWhole(
  harness: MemoryHarness,
  batch: readonly AgentItem[],
  times: number,
): Promise<void> {
  const id = harness.newId()
  const memory = await harness.open(id)
  const reader = harness.abilities.persistent ? await harness.reopen(id) : memory
  let writing = true
  const write = async () => {
    try {
      for (const _ of upTo(times)) await memory.addOutputItems(batch)
    } finally {
      writing = false
    }
  }
  const read = async () => {
    for (let reads = 0; writing; reads++) {
      const seen = (await reader.getItems()).length
      assert.equal(seen % batch.length, 0, `${seen} items were seen of batches of ${batch.length}`)
      // Mostly without a pause, so that it looks between any two steps of the writer.
      if (reads % 20 === 19) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all([write(), read()])
  assert.equal((await reader.getItems()).length, times * batch.length)
}

/** RULE nothing acknowledged is lost; nothing is applied twice. */
export const concurrencyCases = [
  memoryRace(
    'concurrent-adds-each-once',
    'adds of four writers in two processes are each stored once, each writer in its own order',
    persistent,
    async (harness) => {
      const { writers } = await openWriters(harness)
      await Promise.all(
        writers.map(async (writer, of) => {
          for (const n of upTo(8)) await writer.addUserInput(`${of}/${n}`)
        }),
      )
      for (const reader of writers) {
        const texts = textsOf(await reader.getItems())
        assert.equal(texts.length, 32)
        for (const of of upTo(4)) assert.deepStrictEqual(numbersOf(texts, of), upTo(8))
      }
    },
  ),
  memoryRace(
    'concurrent-tool-outputs-each-once',
    'tool outputs that several handles store at once are each present once',
    persistent,
    async (harness) => {
      const { writers } = await openWriters(harness)
      await Promise.all(
        upTo(24).map((n) => writers[n % writers.length]?.addToolOutput(`c${n}`, `of ${n}`)),
      )
      const items = await (writers[0] ?? assert.fail()).getItems()
      assert.deepStrictEqual(
        items.map((item) => String(item['call_id'])).sort(),
        upTo(24)
          .map((n) => `c${n}`)
          .sort(),
      )
    },
  ),
  memoryRace(
    'concurrent-updates-count',
    'read–change–write by four writers in two processes adds up exactly',
    all(persistent, snapshots),
    async (harness) => {
      const { writers } = await openWriters(harness)
      await Promise.all(
        writers.map(async (writer) => {
          for (const _ of upTo(8)) {
            await whole(writer).update(({ items }) => ({
              items: [{ type: 'counter', count: Number(items[0]?.['count'] ?? 0) + 1 }],
            }))
          }
        }),
      )
      for (const reader of writers) await assertItems(reader, [{ type: 'counter', count: 32 }])
    },
  ),
  memoryRace(
    'concurrent-updates-on-one-instance',
    'updates of one instance that nobody awaits add up exactly',
    snapshots,
    async (harness) => {
      const memory = await openWhole(harness)
      await Promise.all(
        upTo(20).map(() =>
          memory.update(({ items }) => ({
            items: [{ type: 'counter', count: Number(items[0]?.['count'] ?? 0) + 1 }],
          })),
        ),
      )
      await assertItems(memory, [{ type: 'counter', count: 20 }])
    },
  ),
  memoryRace(
    'concurrent-updates-and-adds',
    'an update that rewrites everything loses no add of another writer',
    all(persistent, snapshots),
    async (harness) => {
      const { writers } = await openWriters(harness)
      const [first, second, third, fourth] = writers.map(whole)
      assert.ok(first && second && third && fourth)
      let adding = true
      const compacting = (async () => {
        while (adding) {
          await second.update((current) => ({ summary: '', ...fold(current), items: [] }))
          await new Promise((resolve) => setImmediate(resolve))
        }
      })()
      const adders = [
        { writer: first, of: 0, count: 8 },
        { writer: third, of: 2, count: 8 },
        { writer: fourth, of: 3, count: 4 },
      ]
      await Promise.all(
        adders.map(async ({ writer, of, count }) => {
          for (const n of upTo(count)) await writer.addUserInput(`${of}/${n}`)
        }),
      ).finally(() => {
        adding = false
      })
      await compacting
      const { items, summary = '' } = await first.snapshot()
      const texts = [...summary.split('|').filter(Boolean), ...textsOf(items)]
      assert.equal(texts.length, 20)
      assert.deepStrictEqual(numbersOf(texts, 0), upTo(8))
      assert.deepStrictEqual(numbersOf(texts, 2), upTo(8))
      assert.deepStrictEqual(numbersOf(texts, 3), upTo(4))
    },
  ),
  memoryRace(
    'concurrent-windows',
    'four writers with one window leave exactly its size, the last of each writer, in order',
    all(persistent, compresses),
    async (harness) => {
      const { writers } = await openWriters(harness, {
        compressor: new WindowedMemoryCompressor(10),
      })
      await Promise.all(
        writers.map(async (writer, of) => {
          for (const n of upTo(8)) await writer.addUserInput(`${of}/${n}`)
        }),
      )
      for (const reader of writers) {
        const texts = textsOf(await reader.getItems())
        assert.equal(texts.length, 10)
        for (const of of upTo(4)) {
          const numbers = numbersOf(texts, of)
          assert.deepStrictEqual(numbers, upTo(8).slice(8 - numbers.length))
        }
      }
    },
  ),
  memoryRace(
    'concurrent-folds',
    'four writers with a compressor that folds items away count every item once',
    all(persistent, compresses),
    async (harness) => {
      const { writers } = await openWriters(harness, { compressor: { compress: fold } })
      await Promise.all(
        writers.map(async (writer, of) => {
          for (const n of upTo(6)) await writer.addUserInput(`${of}/${n}`)
        }),
      )
      const summary = (await (writers[0] ?? assert.fail()).getSummary()) ?? ''
      const texts = summary.split('|').filter(Boolean)
      assert.equal(texts.length, 24)
      for (const of of upTo(4)) assert.deepStrictEqual(numbersOf(texts, of), upTo(6))
    },
  ),
  memoryRace(
    'concurrent-batches-are-seen-whole',
    'a reader beside a writer sees all of a mixed batch or nothing of it',
    always,
    async (harness) => {
      const batch = [{ type: 'reasoning' }, assistant('a'), call('c1'), call('c2'), user('b')]
      await assertSeenWhole(harness, batch, 10)
    },
  ),
  memoryRace(
    'concurrent-long-batches-are-seen-whole',
    'a reader beside a writer sees all of a batch of 200 items or nothing of it',
    always,
    async (harness) => {
      await assertSeenWhole(
        harness,
        upTo(200).map((n) => assistant(`answer ${n}`)),
        5,
      )
    },
  ),
]
