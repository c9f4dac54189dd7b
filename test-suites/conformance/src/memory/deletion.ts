import assert from 'node:assert/strict'
import { assertItems, assertTexts, lasting, openWhole, user, whole } from './expect.ts'
import { all, memoryCase, memoryRace, persistent, snapshots } from './memory-case.ts'

/** RULE deleted stays deleted. */
export const deletionCases = [
  memoryCase(
    'delete-removes-everything',
    'delete removes items and summary for every handle and says whether there was a memory',
    all(persistent, snapshots),
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      const other = lasting(await harness.reopen(id))
      assert.equal(await memory.delete(), false)
      await whole(memory).restore({ items: [user('one')], summary: 'S' })
      await assertTexts(other, ['S', 'one'])
      assert.equal(await memory.delete(), true)
      for (const reader of [memory, other, await harness.reopen(id)]) {
        await assertItems(reader, [])
        assert.equal(await reader.getSummary(), undefined)
      }
      assert.equal(await other.delete(), false)
      assert.equal(await memory.delete(), false)
    },
  ),
  memoryCase(
    'delete-of-a-cleared-memory',
    'a memory that was cleared is still there to be deleted',
    persistent,
    async (harness) => {
      const memory = lasting(await harness.open(harness.newId()))
      await memory.addUserInput('one')
      await memory.clear()
      assert.equal(await memory.delete(), true)
      assert.equal(await memory.delete(), false)
    },
  ),
  memoryCase(
    'clear-of-nothing-creates-nothing',
    'clearing a deleted memory leaves it deleted',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      await memory.addUserInput('one')
      await memory.delete()
      await memory.clear()
      await (await harness.reopen(id)).clear()
      assert.equal(await memory.delete(), false)
      await assertItems(memory, [])
    },
  ),
  memoryCase(
    'deleted-stays-deleted',
    'a writer that comes back after a deletion brings nothing old with it',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const stale = await harness.reopen(id)
      const memory = lasting(await harness.open(id))
      await memory.addOutputItems(['one', 'two', 'three'].map(user))
      await assertTexts(stale, ['one', 'two', 'three'])
      await memory.delete()
      await stale.addUserInput('back')
      await assertTexts(memory, ['back'])
      await assertTexts(stale, ['back'])
    },
  ),
  memoryCase(
    'recreated-stands-alone',
    'a memory that was created anew is what was written since, for every handle',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const stale = await harness.reopen(id)
      const memory = lasting(await harness.open(id))
      await memory.addOutputItems(['one', 'two', 'three'].map(user))
      await assertTexts(stale, ['one', 'two', 'three'])
      await memory.delete()
      await memory.addOutputItems(['new one', 'new two', 'new three', 'new four'].map(user))
      await assertTexts(stale, ['new one', 'new two', 'new three', 'new four'])
      await stale.addUserInput('more')
      await assertTexts(memory, ['new one', 'new two', 'new three', 'new four', 'more'])
    },
  ),
  memoryCase(
    'cleared-stays-cleared',
    'a writer that comes back after a clear brings nothing old with it',
    all(persistent, snapshots),
    async (harness) => {
      const id = harness.newId()
      const stale = whole(await harness.reopen(id))
      const memory = await openWhole(harness, id)
      await memory.restore({ items: ['one', 'two'].map(user), summary: 'S' })
      await assertTexts(stale, ['S', 'one', 'two'])
      await memory.clear()
      await stale.addUserInput('back')
      await assertTexts(memory, ['back'])
      await memory.clear()
      await stale.setSummary('T')
      await assertTexts(memory, ['T'])
      await memory.clear()
      await stale.update(({ items }) => ({ items: [...items, user('updated')] }))
      await assertTexts(memory, ['updated'])
    },
  ),
  memoryCase(
    'delete-in-call-order',
    'add, delete and add that nobody awaits leave the last add alone',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const memory = lasting(await harness.open(id))
      const [, deleted] = await Promise.all([
        memory.addUserInput('old'),
        memory.delete(),
        memory.addUserInput('new'),
      ])
      assert.equal(deleted, true)
      await assertTexts(memory, ['new'])
      await assertTexts(await harness.reopen(id), ['new'])
    },
  ),
  memoryRace(
    'delete-has-one-winner',
    'of four deletes at once exactly one says that there was a memory',
    persistent,
    async (harness) => {
      for (let round = 0; round < 4; round++) {
        const id = harness.newId()
        const memories = await Promise.all([
          harness.open(id),
          harness.reopen(id),
          harness.open(id),
          harness.reopen(id),
        ])
        await memories[0]?.addUserInput('one')
        const won = await Promise.all(memories.map((memory) => lasting(memory).delete()))
        assert.equal(won.filter(Boolean).length, 1)
      }
    },
  ),
  memoryRace(
    'delete-beside-adds',
    'adds beside deletions are kept or deleted, each at most once, each writer in order',
    persistent,
    async (harness) => {
      const id = harness.newId()
      const writers = await Promise.all([harness.open(id), harness.reopen(id)])
      const deleter = lasting(await harness.reopen(id))
      const deletions: Promise<boolean>[] = []
      await Promise.all(
        writers.map(async (writer, of) => {
          for (let n = 0; n < 10; n++) {
            await writer.addUserInput(`${of}/${n}`)
            // Not awaited: the next adds of both writers meet it.
            if (of === 0 && n % 3 === 1) deletions.push(deleter.delete())
          }
        }),
      )
      await Promise.all(deletions)
      const texts = (await deleter.getItems()).map((item) => JSON.stringify(item))
      for (const of of [0, 1]) {
        const kept = Array.from({ length: 10 }, (_, n) => n).filter((n) =>
          texts.some((text) => text.includes(`${of}/${n}"`)),
        )
        // What is left of a writer is the end of what it wrote, without a gap.
        assert.deepStrictEqual(
          kept,
          Array.from({ length: kept.length }, (_, n) => 10 - kept.length + n),
        )
        assert.equal(texts.filter((text) => text.includes(`"${of}/`)).length, kept.length)
      }
      await deleter.delete()
      for (const [of, writer] of writers.entries()) await writer.addUserInput(`${of}/10`)
      await assertTexts(deleter, ['0/10', '1/10'])
    },
  ),
]
