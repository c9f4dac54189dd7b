import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/core'
import type { Collections } from './collections.ts'
import { isDuplicateId } from './errors.ts'

const RACERS = 8
const ROUNDS = 5
/** A probe that was killed leaves one document; where sessions expire, so does it. */
const LEFTOVER_MS = 600_000

/**
 * Tries whether of racing writes with one condition one takes place, and whether the answers say so. Servers
 * that speak the protocol and do not keep this exist; on them writers overwrite each other without a word.
 * `timely` ends a call that takes too long.
 */
export async function probe(
  { sessions, strong }: Collections,
  timely: <T>(call: Promise<T>) => Promise<T>,
): Promise<void> {
  // No session has such an id, and no list of sessions reaches it.
  const _id = `probe:${randomUUID()}`
  const racers = Array.from({ length: RACERS }, (_, racer) => racer)
  const race = (run: (racer: number) => Promise<boolean>) => timely(Promise.all(racers.map(run)))
  const guarded = (guard: string) => ({ _id: { $eq: _id }, guard: { $eq: guard } })
  const stored = async () =>
    (await timely(sessions.findOne({ _id: { $eq: _id } }, strong))) as {
      guard: string
      by: number
      entries: readonly string[]
    } | null

  try {
    const expiresAt = new Date(Date.now() + LEFTOVER_MS)
    const created = await race(async (by) => {
      try {
        await sessions.insertOne({ _id, guard: '0', by, entries: ['0'], expiresAt })
        return true
      } catch (error) {
        if (isDuplicateId(error)) return false
        throw error
      }
    })
    oneOf(created, 'creations of one document')
    agrees((await stored())?.by === created.indexOf(true), 'the document of the creation that won')

    for (let round = 1; round <= ROUNDS; round++) {
      const updated = await race(async (by) => {
        const found = await sessions.updateOne(guarded(`${round - 1}`), {
          $set: { guard: `${round}`, by },
          $push: { entries: { $each: [`${round}`], $slice: -2 } },
        })
        return found > 0
      })
      oneOf(updated, 'updates with one condition')
      const now = await stored()
      agrees(now?.by === updated.indexOf(true), 'the change of the update that won')
      agrees(now?.entries.join() === `${round - 1},${round}`, 'the newest two elements of a list')
    }

    const stale = await timely(sessions.deleteOne(guarded('0')))
    agrees(stale === 0 && (await stored()) !== null, 'a document that was not to be removed')
    const removed = await race(async () => (await sessions.deleteOne(guarded(`${ROUNDS}`))) > 0)
    oneOf(removed, 'removals of one document')
    agrees((await stored()) === null, 'that the removed document is gone')
  } finally {
    await timely(sessions.deleteOne({ _id: { $eq: _id } })).catch(() => {})
  }
}

const refuse = (message: string) =>
  new HoldfastError(
    'UNSUPPORTED',
    `${message} Sessions would overwrite each other there: use MongoDB itself, or a server that keeps this.`,
  )

function oneOf(won: readonly boolean[], what: string): void {
  const winners = won.filter(Boolean).length
  if (winners === 1) return
  throw refuse(
    `This server says of ${won.length} racing ${what} that ${winners} took place, instead of 1.`,
  )
}

function agrees(kept: boolean, what: string): void {
  if (!kept) throw refuse(`This server does not show, behind racing writes, ${what}.`)
}
