import assert from 'node:assert/strict'
import type { SessionDriver } from '@holdfast/core'

/** Cuts entry 1 in half, as a broken disk or a foreign hand would. */
export async function spoil(driver: SessionDriver, id: string): Promise<void> {
  const stored = await driver.read(id)
  assert.ok(
    stored && stored !== 'unchanged',
    'nothing is stored under the id that core gives a driver',
  )
  const entries = stored.entries.map((entry, index) =>
    index === 1 ? entry.slice(0, entry.length / 2) : entry,
  )
  const next = { revision: crypto.randomUUID(), head: stored.head, entries }
  assert.notEqual(await driver.replace(id, next, stored), false)
}
