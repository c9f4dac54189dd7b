import { isEntries, type SegmentStore, type StoredHead } from '@holdfast/core/segments'
import type { Collections } from './collections.ts'
import {
  checkLayout,
  type HeadToken,
  isLine,
  LAYOUT,
  type SegmentDocument,
  type SessionDocument,
  type SessionLine,
  sessionDocument,
  storedHead,
  tokenOf,
  UNREADABLE,
  type UnreadableToken,
} from './documents.ts'
import { classifyMongodb, isDuplicateId } from './errors.ts'
import { headUpdate } from './head-update.ts'

/** How many segments one page of a sweep looks at. */
const PAGE = 500

/**
 * Heads and segments as documents of two collections. Ids and guards stand under `$eq`, texts under `$set`,
 * `$each` or in whole documents: nowhere could a value be taken for an operator. Every query is one by `_id`,
 * or by the index of `setup`.
 */
export function documentStore(
  { sessions, segments, strong, serverTime }: Collections,
  ttlMs: number | undefined,
): SegmentStore {
  const expiresAt = () => (ttlMs === undefined ? undefined : new Date(Date.now() + ttlMs))
  /** The condition that the stored head is the one of `token`, and has not expired. */
  const at = (id: string, token: HeadToken | UnreadableToken) => ({
    _id: { $eq: id },
    ...('unchanged' in token
      ? token.unchanged
      : {
          guard: { $eq: token.guard },
          ...(ttlMs !== undefined && { expiresAt: { $not: { $lte: new Date() } } }),
        }),
  })

  const insert = async (id: string, next: StoredHead): Promise<boolean> => {
    try {
      await sessions.insertOne(sessionDocument(id, next, expiresAt()))
      return true
    } catch (error) {
      if (isDuplicateId(error)) return false
      throw error
    }
  }

  /** Whoever finds that a session has expired removes it, so that all see the same, whatever their clocks say. */
  const reap = async ({ _id, guard }: SessionDocument) => {
    const overdue = { _id: { $eq: _id }, guard: { $eq: guard }, expiresAt: { $lte: new Date() } }
    await sessions.deleteOne(overdue)
  }

  const hasExpired = ({ expiresAt }: Pick<SessionDocument, 'expiresAt'>): boolean =>
    ttlMs !== undefined && expiresAt instanceof Date && expiresAt.getTime() <= Date.now()

  return {
    async readHead(id, known) {
      const token = known?.token as HeadToken | UnreadableToken | undefined
      let guard = token && 'guard' in token ? token.guard : undefined
      for (;;) {
        const options = { ...strong, ...(guard !== undefined && { projection: unless(guard) }) }
        const found = await sessions.findOne({ _id: { $eq: id } }, options)
        if (!found) return null
        const document = found as SessionDocument
        checkLayout(document)
        if (guard !== undefined && document.guard === guard) {
          if (document.v === LAYOUT && !hasExpired(document)) return 'unchanged'
          // It is not what is known, and the rest of it was left out.
          guard = undefined
          continue
        }
        const head = storedHead(document)
        if (head.unreadable || !hasExpired(document)) return head
        await reap(document)
      }
    },

    async writeHead(id, next, expected) {
      const stored = { revision: next.revision, token: tokenOf(next) }
      if (!expected) return (await insert(id, next)) && stored
      const before = expected.token as HeadToken | UnreadableToken
      const update =
        'unchanged' in before
          ? sessionDocument(id, next, expiresAt())
          : headUpdate(before, next, expiresAt())
      return (await sessions.updateOne(at(id, before), update)) === 1 && stored
    },

    async removeHead(id, expected) {
      const token = expected.token as HeadToken | UnreadableToken
      return (await sessions.deleteOne(at(id, token))) === 1
    },

    async listHeads({ after = '', before, limit }) {
      const rows: { id: string; revision: string; head: string }[] = []
      for (let from = after; ; ) {
        const size = limit - rows.length
        const range = { $gt: from, ...(before !== undefined && { $lt: before }) }
        const page = (await sessions
          .find(
            { _id: range },
            {
              sort: { _id: 1 },
              limit: size,
              projection: { v: 1, revision: 1, guard: 1, head: 1, expiresAt: 1 },
            },
          )
          .toArray()) as readonly (SessionLine & Pick<SessionDocument, '_id' | 'expiresAt'>)[]
        for (const document of page) {
          const { _id, revision, head } = document
          if (!isLine(document)) {
            // What cannot be read must not hide what is beside it: it is listed with a head that says nothing.
            rows.push({ id: _id, revision: UNREADABLE, head: '' })
          } else if (!hasExpired(document)) rows.push({ id: _id, revision, head })
        }
        const last = page.at(-1)
        if (!last || page.length < size || rows.length === limit) return rows
        from = last._id
      }
    },

    async writeSegment(id, name, entries) {
      // An update, since the server puts its own time into nothing else: by a writer's clock that is behind,
      // what it is about to name would look old enough to be swept.
      const content: Omit<SegmentDocument, '_id' | 'at'> = { session: id, entries }
      const update = { $setOnInsert: content, $currentDate: { at: true } }
      await segments.updateOne({ _id: { $eq: name } }, update, { upsert: true })
    },

    async readSegment(_id, name) {
      const found = await segments.findOne({ _id: { $eq: name } })
      const { entries } = Object(found)
      // What is no list of entries is as good as lost.
      return isEntries(entries) ? entries : undefined
    },

    async removeSegments(_id, names) {
      await segments.deleteMany({ _id: { $in: names } })
    },

    async listSegments({ after = '', before, from }) {
      // Where the page before ended: its last session and segment, which no id holds a line feed to confuse.
      const [session, name] = from?.split('\n') ?? []
      // Before the segments are listed, so that none of them seems older than it is.
      const now = await serverTime()
      const page = async (filter: object, limit: number) =>
        (await segments
          .find(filter, {
            sort: { session: 1, _id: 1 },
            limit,
            projection: { session: 1, at: 1 },
          })
          .toArray()) as readonly Omit<SegmentDocument, 'entries'>[]
      const rest =
        session === undefined
          ? []
          : await page({ session: { $eq: session }, _id: { $gt: name } }, PAGE)
      const room = PAGE - rest.length
      const range = { $gt: session ?? after, ...(before !== undefined && { $lt: before }) }
      const found = room > 0 ? [...rest, ...(await page({ session: range }, room))] : rest
      const last = found.at(-1)
      return {
        segments: found.map(({ _id, session, at }) => ({
          id: session,
          name: _id,
          // What is asked is how old it is, by the clock here. One that does not say is left alone.
          at: Date.now() - (at instanceof Date ? now - at.getTime() : 0),
        })),
        ...(found.length === PAGE && last && { next: `${last.session}\n${last._id}` }),
      }
    },

    classify: classifyMongodb,
  }
}

/** Leaves out all that is known where the stored head is still the one of `guard`. */
function unless(guard: string): object {
  const changed = (field: string) => ({
    $cond: [{ $eq: ['$guard', { $literal: guard }] }, '$$REMOVE', `$${field}`],
  })
  const fields = ['revision', 'head', 'segments', 'skip', 'entries']
  return {
    v: 1,
    guard: 1,
    expiresAt: 1,
    ...Object.fromEntries(fields.map((field) => [field, changed(field)])),
  }
}
