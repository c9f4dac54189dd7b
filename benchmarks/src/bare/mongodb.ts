import type { Collection, Db } from 'mongodb'
import { revisions } from '../bytes.ts'
import type { BareClient } from '../engine.ts'
import { BareSession } from './segmented.ts'
import { done, States } from './states.ts'

export const MONGODB_APPEND =
  'one `updateOne({ _id, guard }, { $set, $push })`, majority and journal; as Holdfast, every 64 KiB of entries an `insertOne` of those that move out'

interface Session {
  readonly _id: string
  readonly v: number
  readonly revision: string
  readonly guard: string
  readonly head: string
  readonly skip: number
  readonly entries: readonly string[]
}

interface Segment {
  readonly _id: string
  readonly entries: readonly string[]
}

interface State {
  guard: string
  readonly session: BareSession
}

/** Behind every id: Holdfast lists within bounds. */
const LAST_ID = '~'
/** Entries of one document that moves out, far below its limit of 16 MB. */
const CHUNK = 10_000

/** By the client `mongodb`, with the settings that Holdfast has for reads and writes. */
export async function bareMongodb(db: Db, name: string): Promise<BareClient> {
  const safe = {
    readPreference: 'primary',
    readConcern: { level: 'majority' },
    writeConcern: { w: 'majority', j: true },
  } as const
  const sessions: Collection<Session> = db.collection(`${name}_sessions`, safe)
  const segments: Collection<Segment> = db.collection(`${name}_segments`, safe)
  const next = revisions()
  const states = new States<State>()
  const moveOut = (count: number, body: string) =>
    segments.insertOne({ _id: next(), entries: new Array<string>(count).fill(body) })
  return {
    async create(id, bytes, entries) {
      const session = new BareSession(bytes, entries)
      for (let rest = entries - session.inline; rest > 0; rest -= CHUNK) {
        await moveOut(Math.min(rest, CHUNK), bytes.body)
      }
      const revision = next()
      await sessions.insertOne({
        ...{ _id: id, v: 1, revision, guard: revision, head: bytes.head, skip: 0 },
        entries: new Array<string>(session.inline).fill(bytes.body),
      })
      states.set(id, { guard: revision, session })
    },
    async append(id, { head, body }, count) {
      const state = states.get(id)
      for (let at = 0; at < count; at++) {
        const revision = next()
        const out = state.session.add()
        if (out > 0) await moveOut(out, body)
        const { matchedCount } = await sessions.updateOne(
          { _id: { $eq: id }, guard: { $eq: state.guard } },
          {
            $set: { v: 1, revision, guard: revision, head, skip: 0 },
            $push: {
              entries: { $each: [body], ...(out > 0 && { $slice: -state.session.inline }) },
            },
          },
        )
        done(matchedCount === 1)
        state.guard = revision
      }
    },
    async readRevision(id, count) {
      for (let at = 0; at < count; at++) {
        await sessions.findOne({ _id: { $eq: id } }, { projection: { revision: 1 } })
      }
    },
    async list(after) {
      for (const id of after) {
        await sessions
          .find(
            { _id: { $gt: id, $lt: LAST_ID } },
            { sort: { _id: 1 }, limit: 21, projection: { revision: 1, head: 1 } },
          )
          .toArray()
      }
    },
  }
}
