import assert from 'node:assert/strict'
import {
  accepted,
  append,
  assertAbsent,
  assertEntries,
  assertStored,
  cellId,
  change,
  create,
  freshScope,
  LOOK_ALIKES,
  numbered,
  readCell,
  remove,
  state,
} from './cells.ts'
import { type DriverCase, needs } from './driver-harness.ts'

export const deletionCases: readonly DriverCase[] = [
  {
    id: 'delete-current',
    name: 'deleting the expected state is true; then nothing is there, in the other process neither',
    applies: needs('delete'),
    async run({ driver, other }) {
      const id = cellId()
      const version = await create(driver, id, state(numbered(3)))
      assert.equal(await remove(driver, id, version), true)
      await assertAbsent(driver, id)
      await assertAbsent(other, id)
      assert.equal(await driver.read(id, { unless: version.revision }), null)
    },
  },
  {
    id: 'delete-stale',
    name: 'deleting with a version that is no longer stored is false, and changes nothing',
    applies: needs('delete'),
    async run({ driver, other }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(3)))
      const second = state(numbered(4))
      accepted(await other.replace(id, second, old), second)
      assert.equal(await remove(driver, id, old), false)
      assert.equal(await remove(other, id, old), false)
      await assertStored(driver, id, second)
    },
  },
  {
    id: 'delete-revision-exact',
    name: 'delete compares revisions byte for byte: look-alikes do not match',
    applies: needs('delete'),
    async run({ driver }) {
      for (const [older, stored] of LOOK_ALIKES) {
        const id = cellId()
        const old = await create(driver, id, { ...state(numbered(1)), revision: older })
        const second = { ...state(numbered(2)), revision: stored }
        accepted(await driver.replace(id, second, old), second)
        assert.equal(await remove(driver, id, old), false, `${older} against ${stored}`)
        await assertStored(driver, id, second)
      }
    },
  },
  {
    id: 'delete-absent',
    name: 'deleting what is not there, or no longer, is false',
    applies: needs('delete'),
    async run({ driver }) {
      const id = cellId()
      const version = await create(driver, id, state(numbered(3)))
      assert.equal(await remove(driver, cellId(), version), false)
      assert.equal(await remove(driver, id, version), true)
      assert.equal(await remove(driver, id, version), false)
    },
  },
  {
    id: 'delete-late-write',
    name: 'a write that expects a deleted state is false, and brings nothing back',
    applies: needs('delete'),
    async run({ driver, other }) {
      const id = cellId()
      const version = await create(driver, id, state(numbered(3)))
      assert.equal(await remove(driver, id, version), true)
      for (const writer of [driver, other]) {
        assert.equal(await writer.replace(id, state(numbered(4)), version), false)
        await assertAbsent(driver, id)
        assert.equal(
          await writer.append?.(id, change(numbered(1, 3)), version),
          writer.append && false,
        )
        await assertAbsent(driver, id)
      }
    },
  },
  {
    id: 'delete-recreate',
    name: 'a version from before a deletion never matches what was created since',
    applies: needs('delete'),
    async run({ driver, other }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(3)))
      assert.equal(await remove(driver, id, old), true)
      const second = state(numbered(2, 50))
      await create(other, id, second)
      for (const writer of [driver, other]) {
        assert.equal(await writer.replace(id, state(numbered(4)), old), false)
        assert.equal(await writer.append?.(id, change(numbered(1, 3)), old), writer.append && false)
        assert.equal(await remove(writer, id, old), false)
        await assertStored(driver, id, second)
      }
    },
  },
  {
    id: 'delete-complete',
    name: 'nothing of a deleted session comes back in a shorter one created under its id',
    applies: needs('delete'),
    async run({ driver }) {
      const id = cellId()
      const version = await create(driver, id, state(numbered(40)))
      assert.equal(await remove(driver, id, version), true)
      const second = state(numbered(2, 90))
      let current = await create(driver, id, second)
      await assertStored(driver, id, second)
      if (driver.append) {
        const next = change(numbered(2, 92))
        current = accepted(await append(driver, id, next, current), next)
        assertEntries((await readCell(driver, id)).entries, numbered(4, 90))
      }
      assert.equal(await remove(driver, id, current), true)
      const third = state([])
      await create(driver, id, third)
      await assertStored(driver, id, third)
    },
  },
  {
    id: 'delete-neighbours',
    name: 'a deletion takes its own id alone: not 10 with 1, nor what a pattern would match',
    applies: needs('delete'),
    async run({ driver }) {
      const scope = freshScope()
      const names = ['1', '10', '1:0', '1/0', '%', '*', '_', '?', 'a', 'A', 'ab']
      const states = new Map(names.map((name, index) => [name, state(numbered(2, index * 10))]))
      for (const [name, cell] of states) await create(driver, scope + name, cell)
      for (const name of ['1', '%', '*', '_', '?', 'a']) {
        assert.equal(await remove(driver, scope + name, await readCell(driver, scope + name)), true)
        states.delete(name)
        await assertAbsent(driver, scope + name)
        for (const [left, cell] of states) await assertStored(driver, scope + left, cell)
      }
    },
  },
]
