import assert from 'node:assert/strict'
import {
  assertItems,
  assertTexts,
  assistant,
  failure,
  lasting,
  openWhole,
  system,
  user,
  whole,
} from './expect.ts'
import { all, memoryCase, memoryRace, persistent, snapshots } from './memory-case.ts'

/** What a memory that outlives the process promises beside the rest. */
export const persistenceCases = [
  memoryCase(
    'resume-in-another-process',
    'a second process continues where the first stopped',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const first = await harness.open(id)
      await first.addUserInput('one')
      await first.addOutputItems([assistant('two')])
      const second = await harness.reopen(id)
      await assertItems(second, [user('one'), assistant('two')])
      await second.addUserInput('three')
      await assertTexts(first, ['one', 'two', 'three'])
    },
  ),
  memoryCase(
    'resume-sees-the-summary',
    'a second process sees the summary, and its change is seen by the first',
    all(persistent, snapshots),
    async (harness) => {
      const id = harness.newId()
      const first = await openWhole(harness, id)
      await first.restore({ items: [user('one')], summary: 'S' })
      const second = whole(await harness.reopen(id))
      assert.equal(await second.getSummary(), 'S')
      await second.setSummary('T')
      assert.equal(await first.getSummary(), 'T')
      await second.setSummary(undefined)
      await assertItems(first, [user('one')])
    },
  ),
  memoryCase(
    'strong-reads',
    'a handle that stays open sees every write of every other handle at once',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const handles = [await harness.open(id), await harness.reopen(id), await harness.open(id)]
      const texts: string[] = []
      for (let round = 0; round < 6; round++) {
        for (const [index, writer] of handles.entries()) {
          texts.push(`${round} by ${index}`)
          await writer.addUserInput(`${round} by ${index}`)
          for (const reader of handles) await assertTexts(reader, texts)
        }
      }
    },
  ),
  memoryCase(
    'strong-reads-of-rewrites',
    'a handle that stays open sees clears, restores and cuts by others, never a mixture',
    all(persistent, snapshots),
    async (harness) => {
      const id = harness.newId()
      const writer = await openWhole(harness, id)
      const reader = await harness.reopen(id)
      const step = async (change: () => Promise<unknown>, texts: readonly string[]) => {
        await change()
        await assertTexts(reader, texts)
      }
      await step(() => writer.addOutputItems(['a', 'b', 'c'].map(user)), ['a', 'b', 'c'])
      await step(() => writer.restore({ items: ['d', 'e', 'f'].map(user) }), ['d', 'e', 'f'])
      await step(() => writer.addUserInput('g'), ['d', 'e', 'f', 'g'])
      await step(() => writer.update(({ items }) => ({ items: items.slice(2) })), ['f', 'g'])
      await step(async () => {
        await writer.clear()
        await writer.addOutputItems(['h', 'i', 'j', 'k'].map(user))
      }, ['h', 'i', 'j', 'k'])
      await step(async () => {
        // As long as before, and the same beginning: only the middle differs.
        await writer.restore({ items: ['h', 'x', 'j', 'k'].map(user) })
        await writer.addUserInput('l')
      }, ['h', 'x', 'j', 'k', 'l'])
    },
  ),
  memoryCase(
    'opening-writes-nothing',
    'opening and reading a memory stores nothing',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      await memory.getItems()
      await memory.getSummary()
      assert.equal(await memory.delete(), false)
      assert.equal(await lasting(await harness.reopen(id)).adopt({ items: [user('a')] }), true)
      await assertTexts(memory, ['a'])
    },
  ),
  memoryCase(
    'adopt-where-nothing-was',
    'adopt installs items and summary where nothing was ever stored, and says so',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      assert.equal(await memory.adopt({ items: [user('one')], summary: 'S' }), true)
      await assertItems(memory, [system('S'), user('one')])
      await assertItems(await harness.reopen(id), [system('S'), user('one')])
    },
  ),
  memoryCase(
    'adopt-never-rewinds',
    'adopt changes nothing where something is or was stored: after adds, clear, delete and adopt',
    persistent,
    async (harness) => {
      const old = { items: [user('old')], summary: 'old' }
      const filled = lasting(await harness.open(harness.newId()))
      await filled.addUserInput('new')
      assert.equal(await filled.adopt(old), false)
      await assertItems(filled, [user('new')])

      await filled.clear()
      assert.equal(await filled.adopt(old), false)
      await assertItems(filled, [])

      const adopted = lasting(await harness.open(harness.newId()))
      assert.equal(await adopted.adopt({ items: [user('new')] }), true)
      assert.equal(await adopted.adopt(old), false)
      await assertItems(adopted, [user('new')])
    },
  ),
  memoryCase(
    'adopt-not-after-a-deletion',
    'a deletion counts as stored: adopt does not bring a deleted memory back',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      await memory.addUserInput('one')
      assert.equal(await memory.delete(), true)
      assert.equal(await memory.adopt({ items: [user('one')], summary: 'S' }), false)
      const other = lasting(await harness.reopen(id))
      assert.equal(await other.adopt({ items: [user('one')], summary: 'S' }), false)
      await assertItems(memory, [])
      assert.equal(await memory.getSummary(), undefined)
    },
  ),
  memoryRace(
    'adopt-has-one-winner',
    'of four adopts at once exactly one installs its snapshot',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memories = await Promise.all([
        harness.open(id),
        harness.reopen(id),
        harness.open(id),
        harness.reopen(id),
      ])
      const won = await Promise.all(
        memories.map((memory, of) => lasting(memory).adopt({ items: [user(`by ${of}`)] })),
      )
      assert.equal(won.filter(Boolean).length, 1)
      for (const memory of memories) await assertTexts(memory, [`by ${won.indexOf(true)}`])
    },
  ),
  memoryCase(
    'identity-names-storage-and-id',
    'identity is the same object for the same storage and id, and another for another id',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const [one, two] = [lasting(await harness.open(id)), lasting(await harness.open(id))]
      const other = lasting(await harness.open(harness.newId()))
      assert.equal(typeof one.identity, 'object')
      assert.notEqual(one.identity, null)
      assert.ok(one.identity === two.identity, 'two handles on one id have one identity')
      const again = one.identity
      assert.ok(one.identity === again, 'a handle keeps its identity')
      assert.ok(one.identity !== other.identity, 'another id has another identity')
      await one.addUserInput('one')
      await one.delete()
      await one.addUserInput('new')
      assert.ok(one.identity === two.identity, 'a deletion changes no identity')
    },
  ),
  memoryCase(
    'pin-lasts-for-one-life',
    'a pinned view goes through every change of others and sees it',
    all(persistent, snapshots),
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await openWhole(harness, id))
      const other = lasting(await harness.reopen(id))
      await memory.addUserInput('one')
      const view = memory.pin()
      await assertTexts(view, ['one'])
      await other.addUserInput('two')
      await other.clear()
      await whole(other).restore({ items: [user('three')] })
      await whole(memory).update(() => ({ items: [] }))
      await other.addUserInput('four')
      await view.addUserInput('five')
      await assertTexts(other, ['four', 'five'])
      await assertTexts(view, ['four', 'five'])
    },
  ),
  memoryCase(
    'pin-ends-with-the-life',
    'each call of a pinned view is CONFLICT once the memory was deleted, whatever began anew',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      const other = lasting(await harness.reopen(id))
      await memory.addUserInput('one')
      const view = memory.pin()
      await view.getItems()
      await other.delete()
      await failure(view.getItems(), 'CONFLICT')
      await failure(view.addUserInput('old'), 'CONFLICT')
      await other.addUserInput('new')
      await failure(view.getItems(), 'CONFLICT')
      await failure(view.addOutputItems([user('old')]), 'CONFLICT')
      await failure(view.addToolOutput('c', 'old'), 'CONFLICT')
      await failure(view.clear(), 'CONFLICT')
      await assertTexts(memory, ['new'])
      await memory.pin().addUserInput('newer')
      await assertTexts(other, ['new', 'newer'])
    },
  ),
  memoryCase(
    'pin-begins-with-the-first-write',
    'where nothing is stored, the life of a pinned view begins with its first write',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const view = lasting(await harness.open(id)).pin()
      const other = lasting(await harness.reopen(id))
      await assertTexts(view, [])
      await view.addUserInput('mine')
      await other.delete()
      await other.addUserInput('new')
      await failure(view.addUserInput('old'), 'CONFLICT')
      await assertTexts(other, ['new'])
    },
  ),
]
