import assert from 'node:assert/strict'
import { assertStored, cellId, create, numbered, readCell, state, together } from './cells.ts'
import type { DriverCase, DriverHarness } from './driver-harness.ts'

const severalProcesses = ({ connect }: DriverHarness): true | string =>
  connect !== undefined || 'only one process may open this storage'

export const connectionCases: readonly DriverCase[] = [
  {
    id: 'connect-together',
    name: 'ten processes that open the storage at once all succeed, and see one storage',
    applies: severalProcesses,
    async run({ driver, connect }) {
      assert.ok(connect)
      const id = cellId()
      const first = state(numbered(2))
      await create(driver, id, first)
      const opened = await together(10, () => connect())
      try {
        for (const { driver: another } of opened) await assertStored(another, id, first)
      } finally {
        await Promise.all(opened.map((it) => it.close()))
      }
    },
  },
  {
    id: 'connect-close-own',
    name: 'closing one connection closes no other one, and takes nothing away',
    applies: severalProcesses,
    async run({ driver, other, connect }) {
      assert.ok(connect)
      const passing = await connect()
      const id = cellId()
      const first = state(numbered(2))
      await create(passing.driver, id, first)
      await passing.close()
      await assertStored(driver, id, first)
      const next = state(numbered(3))
      assert.notEqual(await other.replace(id, next, await readCell(other, id)), false)
      await assertStored(driver, id, next)
    },
  },
  {
    id: 'classify-foreign',
    name: 'classify answers a kind or undefined for whatever was thrown, and never throws itself',
    applies: ({ driver }) => driver.classify !== undefined || 'the driver has no classify',
    async run({ driver }) {
      const kinds = [undefined, 'transient', 'too-large', 'closed', 'corrupt']
      const thrown = [
        new Error('unheard of'),
        undefined,
        null,
        'text',
        7,
        {},
        [],
        { code: null },
        { code: 7 },
      ]
      for (const error of thrown) {
        assert.ok(kinds.includes(driver.classify?.(error)), `for ${String(error)}`)
      }
    },
  },
]
