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
  LOOK_ALIKES,
  numbered,
  readCell,
  state,
} from './cells.ts'
import { type DriverCase, needs } from './driver-harness.ts'

export const appendCases: readonly DriverCase[] = [
  {
    id: 'append-adds',
    name: 'append adds entries behind those that are there, and installs head and revision',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      const first = state(numbered(3))
      const version = await create(driver, id, first)
      const next = change(numbered(2, 3), { head: '{"v":"appended"}' })
      accepted(await append(driver, id, next, version), next)
      const want = { ...next, entries: numbered(5) }
      await assertStored(driver, id, want)
      await assertStored(other, id, want)
    },
  },
  {
    id: 'append-version',
    name: 'the version that an append answered is good for the next write, the older ones are not',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      let version = await create(driver, id, state([]))
      const created = version
      for (let round = 0; round < 25; round++) {
        const older = version
        const next = change(numbered(1, round))
        version = accepted(await append(round % 2 === 0 ? driver : other, id, next, version), next)
        assert.equal(await append(driver, id, change(numbered(1, 900)), older), false)
      }
      assert.equal(await driver.replace(id, state([]), created), false)
      const last = await readCell(driver, id)
      assertEntries(last.entries, numbered(25))
      const next = state(numbered(1))
      accepted(await driver.replace(id, next, version), next)
      await assertStored(other, id, next)
    },
  },
  {
    id: 'append-stale',
    name: 'appending to a state that is no longer stored is false, and changes nothing',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(4)))
      const second = state(numbered(6), '{"v":2}')
      accepted(await driver.replace(id, second, old), second)
      for (const writer of [driver, other]) {
        const late = change(numbered(3, 100), { drop: 2, head: '{"v":"late"}' })
        assert.equal(await append(writer, id, late, old), false)
        await assertStored(driver, id, second)
      }
    },
  },
  {
    id: 'append-revision-exact',
    name: 'append compares revisions byte for byte: look-alikes do not match',
    applies: needs('append'),
    async run({ driver }) {
      for (const [older, stored] of LOOK_ALIKES) {
        const id = cellId()
        const old = await create(driver, id, { ...state(numbered(1)), revision: older })
        const second = { ...state(numbered(2)), revision: stored }
        accepted(await driver.replace(id, second, old), second)
        const late = change(numbered(1, 9), { drop: 1 })
        assert.equal(await append(driver, id, late, old), false, `${older} against ${stored}`)
        await assertStored(driver, id, second)
      }
    },
  },
  {
    id: 'append-absent',
    name: 'appending to what is not there is false, and stores nothing',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      const version = await create(driver, cellId(), state(numbered(1)))
      assert.equal(await append(driver, id, change(numbered(2)), version), false)
      await assertAbsent(driver, id)
    },
  },
  {
    id: 'append-drop',
    name: 'drop removes exactly that many entries at the front: 0, 1, n − 1 and n, with and without new ones',
    applies: needs('append'),
    async run({ driver }) {
      const count = 11
      for (const drop of [0, 1, count - 1, count]) {
        for (const added of [0, 1, 3]) {
          const id = cellId()
          const version = await create(driver, id, state(numbered(count)))
          const next = change(numbered(added, count), { drop })
          accepted(await append(driver, id, next, version), next)
          await assertStored(driver, id, { ...next, entries: numbered(count + added).slice(drop) })
        }
      }
    },
  },
  {
    id: 'append-nothing',
    name: 'an append of no entries installs head and revision',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      const old = await create(driver, id, state(numbered(3)))
      const next = change([], { head: '{"v":"new"}' })
      accepted(await append(driver, id, next, old), next)
      await assertStored(driver, id, { ...next, entries: numbered(3) })
      assert.equal(await append(driver, id, change([]), old), false)
    },
  },
  {
    id: 'append-after-replace',
    name: 'appending behind a replaced list, shorter or empty, continues that list',
    applies: needs('append'),
    async run({ driver }) {
      for (const kept of [0, 2, 9]) {
        const id = cellId()
        let version = await create(driver, id, state(numbered(20)))
        const shorter = state(numbered(kept, 50))
        version = accepted(await driver.replace(id, shorter, version), shorter)
        const next = change(numbered(3, 70))
        version = accepted(await append(driver, id, next, version), next)
        const entries = [...numbered(kept, 50), ...numbered(3, 70)]
        await assertStored(driver, id, { ...next, entries })
        const again = state(numbered(1))
        accepted(await driver.replace(id, again, version), again)
        await assertStored(driver, id, again)
      }
    },
  },
  {
    id: 'append-skip',
    name: 'after drops, skip counts from the first entry that is left',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      let version = await create(driver, id, state(numbered(10)))
      for (let round = 0; round < 4; round++) {
        const next = change(numbered(3, 10 + round * 3), { drop: 3 })
        version = accepted(await append(driver, id, next, version), next)
      }
      const want = numbered(10, 12)
      for (const skip of [0, 1, 9, 10, 11]) {
        const found = await readCell(driver, id, { skip })
        assertEntries(found.entries, want.slice(skip))
        assert.equal(found.revision, version.revision)
      }
    },
  },
  {
    id: 'append-unless',
    name: 'a read with the revision from before an append answers the new state',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      const first = state(numbered(2))
      const version = await create(driver, id, first)
      assert.equal(await other.read(id, { unless: first.revision }), 'unchanged')
      const next = change(numbered(2, 2))
      accepted(await append(driver, id, next, version), next)
      const found = await readCell(other, id, { unless: first.revision, skip: 2 })
      assertEntries(found.entries, numbered(2, 2))
      assert.equal(await other.read(id, { unless: next.revision }), 'unchanged')
    },
  },
  {
    id: 'append-detached',
    name: 'what a caller does to the array that it appended changes nothing that is stored',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      const version = await create(driver, id, state([]))
      const passed = numbered(2)
      const next = change(passed)
      accepted(await append(driver, id, next, version), next)
      const before = await readCell(driver, id)
      passed[1] = '"changed by the caller"'
      passed.push('"pushed by the caller"')
      assertEntries((await readCell(driver, id)).entries, numbered(2))
      const more = change(numbered(1, 2))
      accepted(await append(driver, id, more, before), more)
      assertEntries(before.entries, numbered(2))
    },
  },
]
