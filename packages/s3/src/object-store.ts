import type { Version } from '@holdfast/core'
import { inParallel, type SegmentStore, type StoredHead } from '@holdfast/core/segments'
import type { Bucket, Condition, From } from './bucket.ts'
import { classify } from './classify.ts'
import {
  decodeFirstLine,
  decodeHead,
  decodeSegment,
  encodeHead,
  encodeSegment,
  FIRST_LINE_BYTES,
} from './documents.ts'
import type { Keys } from './keys.ts'

/** How a server wants its conditions, as the probe found it or the user said. */
export interface Dialect {
  /** Whether an ETag goes into a condition as it came, in its quotes. */
  readonly etagQuotes: boolean
  /** Whether a DELETE honours `If-Match`. */
  readonly conditionalDelete: boolean
}

const PARALLEL = 8
/** One page of a server. */
const MAX_KEYS = 1_000
/** Segments looked through per call of a sweep: it has to end within the timeout of one call. */
const SWEEP_KEYS = 500

const etagOf = (version: Version): string => String(version.token)

/** Heads and segments as objects of one bucket. The token of a head is its ETag, in its quotes. */
export function objectStore(bucket: Bucket, keys: Keys, dialect: Dialect): SegmentStore {
  const spelled = (etag: string) => (dialect.etagQuotes ? etag : etag.replace(/^"(.*)"$/, '$1'))

  const readHeadLine = async (id: string) => {
    const range = `bytes=0-${FIRST_LINE_BYTES - 1}`
    const stored = await bucket.get(keys.head(id), { range })
    if (!stored || stored === 'unchanged') return undefined
    // What cannot be read must not hide the sessions beside it; core says of which it is.
    return { id, ...(decodeFirstLine(stored.text) ?? { revision: stored.etag, head: '' }) }
  }

  return {
    async readHead(id, known) {
      const ifNoneMatch = known && spelled(etagOf(known))
      const stored = await bucket.get(keys.head(id), { ifNoneMatch })
      if (stored === 'unchanged') return stored
      if (!stored) return null
      return decodeHead(stored.text, stored.etag, id) ?? unreadable(stored.etag)
    },
    async writeHead(id, next, expected) {
      const condition: Condition = expected
        ? { ifMatch: spelled(etagOf(expected)) }
        : { ifNoneMatch: '*' }
      const token = await bucket.put(keys.head(id), encodeHead(id, next), condition)
      return token !== false && { revision: next.revision, token }
    },
    ...(dialect.conditionalDelete && {
      removeHead: (id: string, expected: Version) =>
        bucket.remove(keys.head(id), spelled(etagOf(expected))),
    }),
    async listHeads({ after, before, limit }) {
      const rows: { id: string; revision: string; head: string }[] = []
      const end = before === undefined ? undefined : keys.head(before)
      const start = after === undefined || after === '' ? undefined : keys.head(after)
      let from: From = start === undefined ? undefined : { after: start }
      do {
        const wanted = Math.min(limit - rows.length, MAX_KEYS)
        const page = await bucket.list(keys.heads, from, wanted)
        const inside = page.keys.filter(({ key }) => end === undefined || key < end)
        const ids = inside
          // A server that does not know StartAfter begins at the first one each time.
          .filter(({ key }) => start === undefined || key > start)
          .flatMap(({ key }) => keys.idOfHead(key) ?? [])
        // Deleted since it was listed: the page is filled up from behind.
        const found = await inParallel(ids, PARALLEL, readHeadLine)
        rows.push(...found.filter((row) => row !== undefined))
        from = inside.length === page.keys.length ? page.next : undefined
      } while (from && rows.length < limit)
      return rows
    },
    async writeSegment(id, name, entries) {
      await bucket.put(keys.segment(id, name), encodeSegment(entries))
    },
    async readSegment(id, name) {
      const stored = await bucket.get(keys.segment(id, name))
      return stored && stored !== 'unchanged' ? decodeSegment(stored.text, name) : undefined
    },
    async removeSegments(id, names) {
      await inParallel(names, PARALLEL, (name) => bucket.remove(keys.segment(id, name)))
    },
    async listSegments({ after, before, from }) {
      const behind = after === undefined || after === '' ? undefined : keys.behindSegments(after)
      const start = behind === undefined ? undefined : { after: behind }
      const end = before === undefined ? undefined : keys.segment(before, '')
      const page = await bucket.list(keys.segments, from ? { token: from } : start, SWEEP_KEYS)
      const inside = page.keys.filter(({ key }) => end === undefined || key < end)
      const segments = inside.flatMap(({ key, at }) => {
        const found = keys.ofSegment(key)
        // As above: those of ids before the range are none of this sweep's.
        return found && (behind === undefined || key > behind) ? [{ ...found, at }] : []
      })
      const more = page.next && inside.length === page.keys.length
      return more ? { segments, next: page.next.token } : { segments }
    },
    classify,
  }
}

/** Stands for an object that is no head, under its ETag as revision: core finds that it cannot be read, and can still delete it. */
const unreadable = (etag: string): StoredHead => ({
  revision: etag,
  guard: etag,
  head: '',
  segments: [],
  skip: 0,
  entries: [],
  unreadable: true,
  token: etag,
})
