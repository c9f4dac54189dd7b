import assert from 'node:assert/strict'
import {
  accepted,
  assertAbsent,
  assertStored,
  cellId,
  create,
  LOOK_ALIKES,
  numbered,
  readCell,
  revision,
  state,
} from './cells.ts'
import type { DriverCase } from './driver-harness.ts'

export const writeCases: readonly DriverCase[] = [
  {
    id: 'create-once',
    name: 'expected null creates only where nothing is stored; otherwise nothing changes',
    async run({ driver, other }) {
      const id = cellId()
      const first = state(numbered(2))
      await create(driver, id, first)
      assert.equal(await driver.replace(id, state(numbered(5)), null), false)
      assert.equal(await other.replace(id, state([]), null), false)
      await assertStored(driver, id, first)
    },
  },
  {
    id: 'replace-current',
    name: 'replacing the expected state stores exactly the next one, also from another process',
    async run({ driver, other }) {
      const id = cellId()
      let version = await create(driver, id, state(numbered(2)))
      for (const [round, writer] of [driver, other, other, driver].entries()) {
        const next = state(numbered(3, round * 7), JSON.stringify({ by: revision() }))
        version = accepted(await writer.replace(id, next, version), next)
        await assertStored(driver, id, next)
        await assertStored(other, id, next)
      }
    },
  },
  {
    id: 'replace-read-version',
    name: 'a version that a read or a listing answered is good as expected',
    async run({ driver, other }) {
      const id = cellId()
      await create(driver, id, state(numbered(2)))
      const second = state(numbered(1))
      accepted(await other.replace(id, second, await readCell(other, id)), second)
      const [row] = await driver.list({ after: id.slice(0, -1), before: `${id}~`, limit: 1 })
      assert.equal(row?.id, id)
      const third = state(numbered(4))
      accepted(await driver.replace(id, third, row), third)
      await assertStored(other, id, third)
    },
  },
  {
    id: 'replace-stale',
    name: 'replacing with a version that is no longer stored is false, and changes nothing',
    async run({ driver, other }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(2)))
      const second = state(numbered(3))
      const current = accepted(await driver.replace(id, second, old), second)
      for (const writer of [driver, other]) {
        assert.equal(await writer.replace(id, state(numbered(9)), old), false)
        await assertStored(driver, id, second)
      }
      const third = state(numbered(1))
      accepted(await driver.replace(id, third, current), third)
      assert.equal(await driver.replace(id, state([]), current), false)
      assert.equal(await driver.replace(id, state([]), old), false)
      await assertStored(driver, id, third)
    },
  },
  {
    id: 'replace-unknown',
    name: 'replacing what is not there is false, and stores nothing',
    async run({ driver }) {
      const id = cellId()
      const version = await create(driver, cellId(), state(numbered(1)))
      assert.equal(await driver.replace(id, state(numbered(2)), version), false)
      await assertAbsent(driver, id)
    },
  },
  {
    id: 'replace-refused-whole',
    name: 'after false the stored session is byte for byte what it was, its revision included',
    async run({ driver, other }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(3)))
      const first = state(numbered(40), '{"h":"first"}')
      accepted(await driver.replace(id, first, old), first)
      const longer = state(numbered(80, 500), '{"h":"second"}')
      assert.equal(await driver.replace(id, longer, old), false)
      await assertStored(driver, id, first)
      assert.equal(await driver.replace(id, longer, null), false)
      assert.equal(await driver.replace(id, state([]), old), false)
      await assertStored(driver, id, first)
      await assertStored(other, id, first)
    },
  },
  {
    id: 'replace-revision-exact',
    name: 'revisions are compared byte for byte: look-alikes do not match',
    async run({ driver }) {
      for (const [older, stored] of LOOK_ALIKES) {
        const id = cellId()
        const old = await create(driver, id, { ...state(numbered(1)), revision: older })
        const second = { ...state(numbered(2)), revision: stored }
        accepted(await driver.replace(id, second, old), second)
        assert.equal(await driver.replace(id, state([]), old), false, `${older} against ${stored}`)
        await assertStored(driver, id, second)
      }
    },
  },
  {
    id: 'replace-shorter',
    name: 'a shorter list leaves none of the old entries behind',
    async run({ driver }) {
      const id = cellId()
      let version = await create(driver, id, state(numbered(30)))
      for (const count of [12, 3, 1, 0, 2, 0, 11]) {
        const next = state(numbered(count, 1_000 + count))
        version = accepted(await driver.replace(id, next, version), next)
        await assertStored(driver, id, next)
      }
    },
  },
  {
    id: 'replace-same-content',
    name: 'a state that differs in its revision alone is a new state',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(2))
      const old = await create(driver, id, first)
      const second = { ...first, revision: revision() }
      const current = accepted(await driver.replace(id, second, old), second)
      assert.equal(await driver.replace(id, state([]), old), false)
      await assertStored(driver, id, second)
      const third = state(numbered(1))
      accepted(await driver.replace(id, third, current), third)
    },
  },
  {
    id: 'replace-head',
    name: 'the head is replaced with the entries',
    async run({ driver, other }) {
      const id = cellId()
      const first = state(numbered(2), '{"v":1}')
      const version = await create(driver, id, first)
      const second = { ...first, revision: revision(), head: '{"v":2}' }
      accepted(await driver.replace(id, second, version), second)
      await assertStored(other, id, second)
    },
  },
  {
    id: 'neighbours',
    name: 'a write to one id changes no other id',
    async run({ driver }) {
      const ids = [cellId(), cellId(), cellId()]
      const states = ids.map((_, index) => state(numbered(index + 1, index * 10)))
      for (const [index, id] of ids.entries()) await create(driver, id, states[index] ?? state([]))
      const next = state(numbered(7))
      const [first = ''] = ids
      accepted(await driver.replace(first, next, await readCell(driver, first)), next)
      await assertStored(driver, first, next)
      for (const index of [1, 2]) {
        await assertStored(driver, ids[index] ?? '', states[index] ?? state([]))
      }
    },
  },
]
