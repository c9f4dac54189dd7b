import assert from 'node:assert/strict'
import {
  accepted,
  assertAbsent,
  assertEntries,
  assertSame,
  assertStored,
  cellId,
  create,
  numbered,
  readCell,
  revision,
  state,
} from './cells.ts'
import type { DriverCase } from './driver-harness.ts'

export const readCases: readonly DriverCase[] = [
  {
    id: 'read-absent',
    name: 'reading an id that was never written answers null, whatever the options',
    async run({ driver }) {
      const id = cellId()
      assert.equal(await driver.read(id), null)
      assert.equal(await driver.read(id, { unless: revision() }), null)
      assert.equal(await driver.read(id, { skip: 3 }), null)
      await create(driver, id, state(numbered(1)))
      await assertAbsent(driver, cellId())
    },
  },
  {
    id: 'read-back',
    name: 'a stored state reads back with its revision, its head and its entries in order',
    async run({ driver }) {
      const id = cellId()
      const first = state(['{"a":1}', '["b",2]', '{"a":1}', '""', 'null', '0'], '{"h":["é",1]}')
      await create(driver, id, first)
      await assertStored(driver, id, first)
    },
  },
  {
    id: 'read-unless-current',
    name: "reading with the current revision as unless answers 'unchanged', with skip too",
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(3))
      await create(driver, id, first)
      assert.equal(await driver.read(id, { unless: first.revision }), 'unchanged')
      assert.equal(await driver.read(id, { unless: first.revision, skip: 2 }), 'unchanged')
    },
  },
  {
    id: 'read-unless-older',
    name: 'reading with an older revision as unless answers the new state',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(3))
      const version = await create(driver, id, first)
      const second = state(numbered(3))
      accepted(await driver.replace(id, second, version), second)
      assertSame(await readCell(driver, id, { unless: first.revision }), second)
    },
  },
  {
    id: 'read-unless-exact',
    name: 'unless is compared whole: a prefix, a longer text or another case is another revision',
    async run({ driver }) {
      const id = cellId()
      const first = { ...state(numbered(2)), revision: 'writer-a.10' }
      await create(driver, id, first)
      for (const unless of [
        'writer-a.1',
        'writer-a.100',
        'WRITER-A.10',
        'writer-a',
        'writer-a.10 ',
      ]) {
        assertSame(await readCell(driver, id, { unless }), first)
      }
      assert.equal(await driver.read(id, { unless: 'writer-a.10' }), 'unchanged')
    },
  },
  {
    id: 'read-skip',
    name: 'skip leaves out exactly that many entries at the front, all of them if there are fewer',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(12))
      await create(driver, id, first)
      for (const skip of [0, 1, 2, 9, 10, 11, 12, 13, 1_000]) {
        const found = await readCell(driver, id, { skip })
        assertSame(found, { ...first, entries: first.entries.slice(skip) })
      }
    },
  },
  {
    id: 'read-skip-far',
    name: 'skip is exact beyond 3,000 entries, too',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(4_100))
      await create(driver, id, first)
      for (const skip of [2_999, 3_000, 3_001, 4_000, 4_099, 4_100, 9_000]) {
        const found = await readCell(driver, id, { skip })
        assertSame(found, { ...first, entries: first.entries.slice(skip) })
      }
    },
  },
  {
    id: 'read-skip-changed',
    name: 'skip and unless together: the new state without the skipped entries',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(5))
      const version = await create(driver, id, first)
      const second = state(numbered(8, 100))
      accepted(await driver.replace(id, second, version), second)
      const found = await readCell(driver, id, { unless: first.revision, skip: 5 })
      assertSame(found, { ...second, entries: second.entries.slice(5) })
    },
  },
  {
    id: 'read-detached',
    name: 'what a caller does to the arrays it passed or got changes nothing that is stored',
    async run({ driver }) {
      const id = cellId()
      const passed = numbered(3)
      const first = { ...state(passed), entries: passed }
      await create(driver, id, first)
      passed.push('"pushed by the caller"')
      passed[0] = '"changed by the caller"'
      const found = await readCell(driver, id)
      assertEntries(found.entries, numbered(3))
      const mine = found.entries as string[]
      // A frozen answer is as good as a copy.
      if (!Object.isFrozen(mine)) mine.length = 0
      assertEntries((await readCell(driver, id)).entries, numbered(3))
    },
  },
  {
    id: 'read-acknowledged',
    name: "a write that one process was told of is seen by the other process's next read",
    async run({ driver, other }) {
      const id = cellId()
      await assertAbsent(other, id)
      let current = state(['0'])
      let version = await create(driver, id, current)
      for (let round = 1; round <= 30; round++) {
        const [writer, reader] = round % 2 === 0 ? [driver, other] : [other, driver]
        assertSame(await readCell(reader, id), current)
        const next = state(numbered(round % 4, round))
        version = accepted(await writer.replace(id, next, version), next)
        assertSame(await readCell(reader, id, { unless: current.revision }), next)
        current = next
      }
    },
  },
]
