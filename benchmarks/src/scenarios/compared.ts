import { createStorage, MemoryDriver } from '@holdfast/core'
import { type AppendBytes, messageOf, messages, recording } from '../bytes.ts'
import type { Rounds } from '../rounds.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'

/** How much to measure of one scenario of one engine. */
export interface Effort extends Rounds {
  /** Appends of one round. */
  readonly appends: number
}

export interface Compared {
  /** µs per operation. */
  readonly ours: Spread
  readonly bare: Spread
  readonly ratio: Spread
}

export const compared = (ours: readonly number[], bare: readonly number[]): Compared => ({
  ours: spreadOf(ours),
  bare: spreadOf(bare),
  ratio: spreadOf(ratios(ours, bare)),
})

/** Items of a session before the measured appends. */
export const SIZES = [10, 1_000, 10_000] as const
/** Text of an appended message, as it is stored. */
export const ITEM_BYTES = 200

/** What core hands to any driver for one append at that size. */
export async function sample(size: number): Promise<AppendBytes> {
  const recorded = recording(new MemoryDriver())
  const memory = createStorage(recorded.driver).memory(`sample ${size}`)
  await memory.restore({ items: messages(size, ITEM_BYTES) })
  await memory.addOutputItems([messageOf(ITEM_BYTES, size)])
  return recorded.last()
}
