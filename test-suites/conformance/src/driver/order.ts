import {
  accepted,
  append,
  assertEntries,
  assertStored,
  cellId,
  change,
  create,
  numbered,
  readCell,
  state,
} from './cells.ts'
import { type DriverCase, needs } from './driver-harness.ts'

/** More than the 65,535 parameters that a statement may have, which some backends cut at. */
const LONG = 70_000

export const orderCases: readonly DriverCase[] = [
  {
    id: 'order-replace',
    name: '1,200 entries written at once come back in order',
    async run({ driver }) {
      const id = cellId()
      const first = state(numbered(1_200))
      const version = await create(driver, id, first)
      await assertStored(driver, id, first)
      const turned = state([...first.entries].reverse())
      accepted(await driver.replace(id, turned, version), turned)
      await assertStored(driver, id, turned)
    },
  },
  {
    id: 'order-append',
    name: '1,200 entries appended by ones and by batches come back in order, past 9, 99 and 999',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      let version = await create(driver, id, state([]))
      let count = 0
      for (const size of [
        ...Array(15).fill(1),
        70,
        ...Array(30).fill(1),
        870,
        ...Array(15).fill(1),
        200,
      ]) {
        const next = change(numbered(size, count))
        version = accepted(await append(driver, id, next, version), next)
        count += size
      }
      assertEntries((await readCell(driver, id)).entries, numbered(1_200))
      assertEntries((await readCell(driver, id, { skip: 995 })).entries, numbered(205, 995))
    },
  },
  {
    id: 'order-replace-long',
    name: '70,000 entries written at once come back in order, none missing',
    async run({ driver, other }) {
      const id = cellId()
      const first = state(numbered(LONG))
      const version = await create(driver, id, first)
      await assertStored(other, id, first)
      const short = state(numbered(2))
      accepted(await driver.replace(id, short, version), short)
      await assertStored(other, id, short)
    },
  },
  {
    id: 'order-append-long',
    name: '70,000 entries appended at once come back in order, none missing',
    applies: needs('append'),
    async run({ driver, other }) {
      const id = cellId()
      const version = await create(driver, id, state(numbered(3)))
      const next = change(numbered(LONG, 3), { drop: 1 })
      accepted(await append(driver, id, next, version), next)
      await assertStored(other, id, { ...next, entries: numbered(LONG + 2, 1) })
    },
  },
  {
    id: 'order-burst',
    name: '1,000 appends as fast as they go come back in the order in which they were made',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      let version = await create(driver, id, state([]))
      for (let count = 0; count < 1_000; count++) {
        const next = change(numbered(1, count))
        version = accepted(await append(driver, id, next, version), next)
      }
      assertEntries((await readCell(driver, id)).entries, numbered(1_000))
    },
  },
  {
    id: 'order-window',
    name: 'a window of 8 over 130 appends holds the last 8 in order at every step',
    applies: needs('append'),
    async run({ driver }) {
      const id = cellId()
      let version = await create(driver, id, state(numbered(8)))
      for (let count = 8; count < 138; count++) {
        const next = change(numbered(1, count), { drop: 1 })
        version = accepted(await append(driver, id, next, version), next)
        assertEntries((await readCell(driver, id)).entries, numbered(8, count - 7))
      }
    },
  },
]
