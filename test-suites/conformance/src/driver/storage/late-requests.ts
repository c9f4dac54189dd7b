import assert from 'node:assert/strict'
import type { SessionDriver } from '@holdfast/core'
import { freshId } from '../../fresh-id.ts'
import { intercept, LateRequests, requestLate } from '../../wrappers/index.ts'
import {
  add,
  assertTexts,
  note,
  notes,
  type StorageCase,
  type StorageHarness,
} from './storage-harness.ts'

/** A memory whose next write can be kept on its way until `arrive`. */
function delaying(harness: StorageHarness, id: string) {
  const late = new LateRequests()
  let armed = false
  const decide = () => {
    const delay = armed
    armed = false
    return delay
  }
  const never = () => Number.POSITIVE_INFINITY
  const memory = harness.open((driver) => requestLate(driver, decide, late, never)).memory(id)
  return {
    memory,
    /** Keeps the next write back: the call sees an error, and goes on. */
    delay() {
      armed = true
      return memory
    },
    arrive: () => late.arrive(),
  }
}

export const lateRequestCases: readonly StorageCase[] = [
  {
    id: 'late-after-newer',
    name: 'a request that lands after newer writes changes nothing',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, delay, arrive } = delaying(harness, id)
      await add(memory, 'first')
      await add(delay(), 'mine')
      await add(rival, 'theirs')
      await arrive()
      await assertTexts(rival, ['first', 'mine', 'theirs'])
      await delay().setSummary('older')
      await rival.setSummary('newer')
      await arrive()
      await assertTexts(memory, ['summary:newer', 'first', 'mine', 'theirs'])
    },
  },
  {
    id: 'late-create',
    name: 'a late creation lands after the session was created by its retry, or deleted since: nothing changes',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, delay, arrive } = delaying(harness, id)
      await add(delay(), 'first')
      await arrive()
      await assertTexts(memory, ['first'])

      const again = freshId()
      const second = delaying(harness, again)
      await add(second.delay(), 'first')
      await harness.reopen().memory(again).delete()
      await second.arrive()
      await assertTexts(second.memory, [])
      await assertTexts(rival, ['first'])
    },
  },
  {
    id: 'late-after-delete',
    name: 'a request that lands after a deletion brings nothing back',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, delay, arrive } = delaying(harness, id)
      await memory.addOutputItems(notes(3))
      await add(delay(), 'mine')
      assert.equal(await rival.delete(), true)
      await arrive()
      await assertTexts(rival, [])
      await assertTexts(memory, [])
      assert.equal(await rival.delete(), false)
    },
  },
  {
    id: 'late-after-recreate',
    name: 'a request that lands after a deletion and a new creation changes nothing of the new session',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      for (const send of ['add', 'restore', 'clear'] as const) {
        const { memory, delay, arrive } = delaying(harness, id)
        await memory.restore({ items: notes(3) })
        if (send === 'add') await add(delay(), 'mine')
        else if (send === 'restore') await delay().restore({ items: notes(9) })
        else await delay().clear()
        await rival.delete()
        await add(rival, 'new life')
        await arrive()
        await assertTexts(rival, ['new life'])
        await assertTexts(memory, ['new life'])
      }
    },
  },
  {
    id: 'late-delete',
    name: 'a deletion that lands late does not delete what was created since',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, delay, arrive } = delaying(harness, id)
      await memory.addOutputItems(notes(3))
      assert.equal(await delay().delete(), true)
      await add(rival, 'new life')
      await arrive()
      await assertTexts(rival, ['new life'])
    },
  },
  {
    id: 'late-clear',
    name: 'a clear that lands late does not clear what was added since',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      const { memory, delay, arrive } = delaying(harness, id)
      await memory.addOutputItems(notes(3))
      await delay().clear()
      await add(rival, 'theirs')
      await arrive()
      await assertTexts(memory, ['theirs'])
    },
  },
  {
    id: 'slow-read',
    name: 'a read whose answer comes after a newer write writes no older state over it',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      let hold = false
      let meanwhile: (() => Promise<void>) | undefined
      const holding = (driver: SessionDriver) =>
        intercept(driver, {
          async read(send) {
            const answer = await send()
            if (hold) {
              hold = false
              await meanwhile?.()
            }
            return answer
          },
        })
      const memory = harness.open(holding).memory(id)
      await add(memory, 'first')

      meanwhile = () => add(rival, 'theirs')
      hold = true
      await memory.getItems()
      await memory.update(({ items }) => ({ items: [note('mine'), ...items] }))
      await assertTexts(harness.reopen().memory(id), ['mine', 'first', 'theirs'])
      await assertTexts(memory, ['mine', 'first', 'theirs'])
      assert.equal(hold, false, 'no read was made')
    },
  },
  {
    id: 'slow-write',
    name: 'a write whose answer comes after newer writes leaves its writer no older state to go on from',
    async run(harness) {
      const id = freshId()
      const rival = harness.reopen().memory(id)
      let meanwhile: (() => Promise<void>) | undefined
      const memory = harness
        .open((driver) =>
          intercept(driver, {
            async write(send) {
              const answer = await send()
              const run = meanwhile
              meanwhile = undefined
              await run?.()
              return answer
            },
          }),
        )
        .memory(id)
      await add(memory, 'first')
      meanwhile = async () => {
        await add(rival, 'theirs')
        await rival.setSummary('theirs')
      }
      await add(memory, 'mine')
      await add(memory, 'last')
      await assertTexts(memory, ['summary:theirs', 'first', 'mine', 'theirs', 'last'])
      await assertTexts(rival, ['summary:theirs', 'first', 'mine', 'theirs', 'last'])
    },
  },
]
