import assert from 'node:assert/strict'
import type { SessionDriver } from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { pause } from '../cells.ts'
import { observe } from './observe.ts'
import { add, assertTexts, notes, type StorageCase } from './storage-harness.ts'

const MIB = 1_048_576

export const boundCases: readonly StorageCase[] = [
  {
    id: 'long-texts',
    name: 'texts of up to 5 MB are stored in parts of at most 1 MiB, and come back identical',
    async run(harness) {
      const id = freshId()
      const checked = (driver: SessionDriver) =>
        observe(driver, (_, entries) => {
          for (const entry of entries)
            assert.ok(Buffer.byteLength(entry) <= MIB, 'a part over 1 MiB')
        })
      const texts = [
        'x'.repeat(3_000_000),
        '日'.repeat(700_001),
        `.${'😀'.repeat(600_000)}`,
        '\u0000'.repeat(200_000),
        '\ud800'.repeat(100_000),
        '"\\'.repeat(300_000),
        'x'.repeat(5_000_000),
      ]
      const memory = harness.open(checked).memory(id)
      await memory.addOutputItems([{ type: 'note', text: texts[0] }, ...notes(2)])
      for (const text of texts.slice(1)) await memory.addOutputItems([{ type: 'note', text }])
      const { items } = await harness.reopen().memory(id).snapshot()
      const found = items.map((item) => item['text'])
      const want = [texts[0], '0', '1', ...texts.slice(1)]
      assert.equal(found.length, want.length)
      for (const [index, text] of want.entries()) {
        assert.ok(
          found[index] === text,
          `text ${index} of ${String(text).length} units came back changed`,
        )
      }
      await memory.setSummary(texts[2])
      assert.ok(
        (await harness.reopen().memory(id).getSummary()) === texts[2],
        'the summary changed',
      )
      await memory.delete()
    },
  },
  {
    id: 'head-bounded',
    name: 'a head stays within 16 KiB, with 80 writers and hundreds of commits',
    async run(harness) {
      const id = freshId()
      let largest = 0
      const measured = (driver: SessionDriver) =>
        observe(driver, (head) => {
          largest = Math.max(largest, Buffer.byteLength(head))
        })
      for (let writer = 0; writer < 80; writer++) {
        const memory = harness.open(measured).memory(id)
        for (let step = 0; step < 3; step++) await add(memory, writer * 3 + step)
      }
      assert.ok(largest <= 16_384, `core made a head of ${largest} bytes`)
      const [row] = await harness.other.list({
        after: harness.cellId(id).slice(0, -1),
        before: `${harness.cellId(id)}~`,
        limit: 1,
      })
      assert.ok(row && Buffer.byteLength(row.head) <= 16_384, 'the stored head is over 16 KiB')
      await assertTexts(
        harness.reopen().memory(id),
        Array.from({ length: 240 }, (_, index) => index),
      )
    },
  },
  {
    id: 'finished-strings',
    name: 'whatever items hold, a driver gets well-formed Unicode without U+0000, and the items come back',
    async run(harness) {
      const id = freshId()
      const checked = (driver: SessionDriver) =>
        observe(driver, (head, entries) => {
          for (const text of [head, ...entries]) {
            assert.ok(!/[\0\p{Cs}]/u.test(text), 'U+0000 or half a surrogate pair')
          }
        })
      const items = [
        { type: 'note', text: 'nul \u0000', ['key \u0000']: ['\ud800', '\udfff'] },
        { type: 'note', text: '\\u0000 \\ud800 \\', deep: { '': [null, true, -1.5e-7] } },
        JSON.parse('{"type":"note","__proto__":{"polluted":1},"constructor":{"prototype":2}}'),
      ]
      await harness.open(checked).memory(id).addOutputItems(items)
      const found = (await harness.reopen().memory(id).snapshot()).items
      assert.deepEqual(
        found.map((item) => JSON.stringify(item)),
        items.map((item) => JSON.stringify(item)),
      )
    },
  },
  {
    id: 'torn-snapshot',
    name: 'a snapshot taken beside writers is one state: batches whole, summary and items of one time',
    race: true,
    async run(harness) {
      const id = freshId()
      const state = (round: number) => ({
        items: notes(1 + ((round * 5) % 13)).map(() => ({ type: 'note', text: String(round) })),
        summary: String(round),
      })
      const writers = [harness.open().memory(id), harness.reopen().memory(id)]
      await writers[0]?.restore(state(0))
      let writing = true
      const read = async (memory: NonNullable<(typeof writers)[0]>) => {
        while (writing) {
          const found = await memory.snapshot()
          const want = state(Number(found.summary))
          assert.deepEqual({ items: found.items, summary: found.summary }, want)
          await pause()
        }
      }
      const readers = [read(harness.open().memory(id)), read(harness.reopen().memory(id))]
      const write = async (memory: NonNullable<(typeof writers)[0]>, first: number) => {
        for (let round = first; round < 40; round += 2) {
          await memory.restore(state(round))
          await pause()
        }
      }
      const done = Promise.all(writers.map((memory, index) => write(memory, index + 1)))
      try {
        await Promise.race([done, Promise.all(readers)])
      } finally {
        writing = false
        await Promise.allSettled(readers)
      }
      await Promise.all([done, ...readers])
    },
  },
  {
    id: 'race-adds',
    name: '8 writers in two processes that add 20 items each leave 160, each once, in the order of their writer',
    race: true,
    async run(harness) {
      const id = freshId()
      await Promise.all(
        Array.from({ length: 8 }, async (_, by) => {
          const memory = (by % 2 === 0 ? harness.open() : harness.reopen()).memory(id)
          for (let step = 0; step < 20; step++) await add(memory, `${by}:${step}`)
        }),
      )
      const { items } = await harness.open().memory(id).snapshot()
      const texts = items.map((item) => String(item['text']))
      for (let by = 0; by < 8; by++) {
        assert.deepEqual(
          texts.filter((text) => text.startsWith(`${by}:`)),
          Array.from({ length: 20 }, (_, step) => `${by}:${step}`),
        )
      }
      assert.equal(texts.length, 160)
    },
  },
]
