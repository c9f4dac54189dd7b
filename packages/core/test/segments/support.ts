import type { SessionDriver, StoredSession } from '../../src/index.ts'

export const ID = 'm0:one'

/** Entries `from` to `to`, the latter left out, of about `bytes` each. */
export const entries = (from: number, to: number, bytes = 20): string[] =>
  Array.from({ length: to - from }, (_, at) =>
    JSON.stringify(`${from + at}`.padEnd(bytes - 2, '.')),
  )

/** A revision that was never used. */
let revisions = 0
export const revision = () => `r${++revisions}`

export async function stored(driver: SessionDriver, id = ID): Promise<StoredSession> {
  const answer = await driver.read(id)
  if (!answer || answer === 'unchanged') throw new Error(`${id} is ${answer}`)
  return answer
}

/** Adds `added` behind what is stored; answers whether the driver took it. */
export async function append(
  driver: SessionDriver,
  added: readonly string[],
  drop = 0,
  id = ID,
): Promise<boolean> {
  const expected = await driver.read(id, { skip: 2_147_483_647 })
  if (!expected || expected === 'unchanged') throw new Error(`${id} is ${expected}`)
  const change = { revision: revision(), head: '{}', drop, entries: added }
  return Boolean(await driver.append?.(id, change, expected))
}

export const create = (driver: SessionDriver, added: readonly string[], id = ID) =>
  driver.replace(id, { revision: revision(), head: '{}', entries: added }, null)

/** A small generator, so that a seed replays. */
export function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
