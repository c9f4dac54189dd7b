import assert from 'node:assert/strict'
import { type DurableAgentMemory, WindowedMemoryCompressor } from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { answeredFalse, answerLost, next, requestUnsent } from '../../wrappers/index.ts'
import {
  add,
  assertTexts,
  failure,
  notes,
  type StorageCase,
  type StorageHarness,
  textsOf,
} from './storage-harness.ts'

/** A memory whose next write is committed and then fails, with `meanwhile` in between. */
function losing(harness: StorageHarness, id: string, meanwhile?: () => Promise<void>, lie = false) {
  let armed = false
  const decide = () => {
    const lose = armed
    armed = false
    return lose
  }
  const memory = harness
    .open((driver) => (lie ? answeredFalse : answerLost)(driver, decide, meanwhile))
    .memory(id)
  return {
    memory,
    /** Loses the answer of the next write. */
    lose() {
      armed = true
      return memory
    },
    /** Whether the fault has happened. */
    happened: () => !armed,
  }
}

export const lostAnswerCases: readonly StorageCase[] = [
  {
    id: 'lost-append',
    name: 'an add whose answer was lost is stored once',
    async run(harness) {
      const id = freshId()
      const { memory, lose, happened } = losing(harness, id)
      for (let round = 0; round < 4; round++) await add(lose(), `${round}a`, `${round}b`)
      assert.ok(happened())
      const want = ['0a', '0b', '1a', '1b', '2a', '2b', '3a', '3b']
      await assertTexts(memory, want)
      await assertTexts(harness.reopen().memory(id), want)
    },
  },
  {
    id: 'lost-append-others-between',
    name: 'an add whose answer was lost is stored once and loses nothing that others add meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => add(rival, 'theirs'))
      await add(memory, 'first')
      await add(lose(), 'mine')
      await add(memory, 'last')
      await assertTexts(rival, ['first', 'mine', 'theirs', 'last'])
    },
  },
  {
    id: 'lost-replace',
    name: 'a restore whose answer was lost is not applied again over what others wrote meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => add(rival, 'theirs'))
      await add(memory, 'old')
      await lose().restore({ items: notes(2), summary: 'S' })
      await assertTexts(memory, ['summary:S', '0', '1', 'theirs'])
      await assertTexts(rival, ['summary:S', '0', '1', 'theirs'])
    },
  },
  {
    id: 'lost-clear',
    name: 'a clear whose answer was lost does not clear what others add meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => add(rival, 'theirs'))
      await add(memory, 'old')
      await lose().clear()
      await assertTexts(memory, ['theirs'])
    },
  },
  {
    id: 'lost-summary',
    name: 'a summary whose answer was lost does not overwrite the one that another sets meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => rival.setSummary('theirs'))
      await add(memory, 'old')
      await lose().setSummary('mine')
      await assertTexts(memory, ['summary:theirs', 'old'])
      await assertTexts(rival, ['summary:theirs', 'old'])
    },
  },
  {
    id: 'lost-swap',
    name: 'a compressor swap whose answer was lost is done once and loses nothing that others add meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => add(rival, 'theirs'))
      await memory.addOutputItems(notes(6))
      await lose().setCompressor(new WindowedMemoryCompressor(2))
      await assertTexts(rival, ['4', '5', 'theirs'])
      await add(memory, 'mine')
      await assertTexts(rival, ['theirs', 'mine'])
    },
  },
  {
    id: 'lost-delete',
    name: 'a deletion whose answer was lost does not delete what another creates meanwhile',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, () => add(rival, 'new life'))
      await add(memory, 'old')
      assert.equal(await lose().delete(), true)
      await assertTexts(memory, ['new life'])
      await assertTexts(rival, ['new life'])
    },
  },
  {
    id: 'lost-across-deletion',
    name: 'an add whose answer was lost is not added again to the session that replaces a deleted one',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, lose } = losing(harness, id, async () => {
        await rival.delete()
        await add(rival, 'new life')
      })
      await add(memory, 'old')
      await add(lose(), 'mine')
      await assertTexts(rival, ['new life'])
      await assertTexts(memory, ['new life'])
    },
  },
  {
    id: 'lost-across-commits',
    name: 'an add whose answer was lost is stored once though 200 commits by 63 others and a window follow',
    async run(harness) {
      const id = freshId()
      const { memory, lose } = losing(harness, id, async () => {
        const rivals = Array.from({ length: 63 }, (_, index) =>
          (index % 2 === 0 ? harness.reopen() : harness.open()).memory(id),
        )
        for (let commit = 0; commit < 200; commit++) {
          const rival = rivals[commit % rivals.length]
          if (commit === 120) {
            await rival?.setCompressor(new WindowedMemoryCompressor(3))
            await rival?.setCompressor(undefined)
          }
          if (rival) await add(rival, `theirs ${commit}`)
        }
      })
      await add(memory, 'first')
      await add(lose(), 'mine')
      const texts = await textsOf(harness.reopen().memory(id))
      assert.ok(!texts.includes('mine'), 'added again behind the window that had dropped it')
      assert.deepEqual(texts.slice(-2), ['theirs 198', 'theirs 199'])
      assert.equal(texts.length, 83)
    },
  },
  {
    id: 'lost-changes-across-commits',
    name: 'a clear, summary, swap or deletion whose answer was lost is not done again 100 commits by 63 others later',
    async run(harness) {
      const theirs = Array.from({ length: 100 }, (_, commit) => `theirs ${commit}`)
      const changes: readonly (readonly [
        change: (memory: DurableAgentMemory) => Promise<unknown>,
        left: readonly string[],
      ])[] = [
        [(memory) => memory.clear(), []],
        [(memory) => memory.setSummary('mine'), ['0', '1', '2', '3']],
        [(memory) => memory.setCompressor(new WindowedMemoryCompressor(2)), ['2', '3']],
        [(memory) => memory.delete(), []],
      ]
      for (const [change, left] of changes) {
        const id = freshId()
        const { memory, lose } = losing(harness, id, async () => {
          const rivals = Array.from({ length: 63 }, () => harness.reopen().memory(id))
          for (const [commit, text] of theirs.entries()) {
            const rival = rivals[commit % rivals.length]
            if (rival) await add(rival, text)
          }
          await rivals[0]?.setSummary('theirs')
        })
        await memory.addOutputItems(notes(4))
        await change(lose())
        await assertTexts(harness.reopen().memory(id), ['summary:theirs', ...left, ...theirs])
      }
    },
  },
  {
    id: 'lost-beyond-writers',
    name: "with more than 63 other writers between, an add is stored once, or fails as 'unknown'",
    async run(harness) {
      const id = freshId()
      const { memory, lose } = losing(harness, id, async () => {
        for (let rival = 0; rival < 70; rival++) await add(harness.reopen().memory(id), rival)
      })
      await add(memory, 'first')
      const error = await failure(add(lose(), 'mine'))
      if (error) assert.equal(error.outcome, 'unknown', error.message)
      const texts = await textsOf(harness.reopen().memory(id))
      assert.equal(texts.filter((text) => text === 'mine').length, 1)
      assert.equal(texts.length, 72)
    },
  },
  {
    id: 'false-after-commit',
    name: 'a write that was committed and then answered false is recognised: once for add, clear, deletion',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      let theirs = 0
      const { memory, lose } = losing(harness, id, () => add(rival, `theirs ${theirs++}`), true)
      await add(lose(), 'mine')
      await assertTexts(memory, ['mine', 'theirs 0'])
      await lose().clear()
      await assertTexts(memory, ['theirs 1'])
      assert.equal(await lose().delete(), true)
      await assertTexts(memory, ['theirs 2'])
      await add(lose(), 'again')
      await assertTexts(rival, ['theirs 2', 'again', 'theirs 3'])
    },
  },
  {
    id: 'unsent-write',
    name: 'a write that was never sent is sent again, and stored once',
    async run(harness) {
      const id = freshId()
      let left = 0
      const memory = harness.open((driver) => requestUnsent(driver, () => left-- > 0)).memory(id)
      for (const fault of [1, 2, 3]) {
        left = fault
        await add(memory, fault)
      }
      left = 2
      await memory.setSummary('S')
      await assertTexts(harness.reopen().memory(id), ['summary:S', '1', '2', '3'])
    },
  },
  {
    id: 'unsent-read',
    name: 'a read that failed in passing is made again',
    async run(harness) {
      const id = freshId()
      await add(harness.reopen().memory(id), 'there')
      const flaky = harness.open((driver) => requestUnsent(driver, next(3)))
      await assertTexts(flaky.memory(id), ['there'])
    },
  },
]
