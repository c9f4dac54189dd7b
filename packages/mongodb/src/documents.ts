import { HoldfastError } from '@holdfast/core'
import { isHeadContent, type SegmentRef, type StoredHead } from '@holdfast/core/segments'

/** One session, in the collection of sessions. */
export interface SessionDocument {
  /** The driver's id. */
  readonly _id: string
  /** The version of this layout. */
  readonly v: number
  readonly revision: string
  /** Names this very write; every change is conditional on it. */
  readonly guard: string
  /** Core's head, a JSON text. */
  readonly head: string
  /** The older entries, oldest first: each names a document in the collection of segments. */
  readonly segments: readonly SegmentRef[]
  /** How many entries at the front of the first segment were dropped. */
  readonly skip: number
  /** The newest entries, JSON texts. */
  readonly entries: readonly string[]
  /** When the session expires; absent for never. */
  readonly expiresAt?: Date
}

/** Entries that were moved out of a session, in the collection of segments. Never changed. */
export interface SegmentDocument {
  /** Its name. */
  readonly _id: string
  /** The `_id` of its session. */
  readonly session: string
  /** When it was written, by the clock of the server. */
  readonly at: Date
  readonly entries: readonly string[]
}

export const LAYOUT = 1

/** Refuses a session of a later version, rather than take its fields for what they are not. */
export function checkLayout({ _id, v }: Pick<SessionDocument, '_id' | 'v'>): void {
  if (typeof v !== 'number' || !(v > LAYOUT)) return
  throw new HoldfastError(
    'UNSUPPORTED',
    `${JSON.stringify(_id)} is stored in layout ${v}; this version of @holdfast/mongodb reads layout ${LAYOUT}. Upgrade it.`,
  )
}

/** What is known of the stored head, handed back with the next write of it. */
export type HeadToken = Omit<StoredHead, 'head' | 'token'>

/** Of a document that is no session: the condition that it is still this one. */
export interface UnreadableToken {
  readonly unchanged: object
}

export const tokenOf = ({ revision, guard, segments, skip, entries }: HeadToken): HeadToken => ({
  revision,
  guard,
  segments,
  skip,
  entries,
})

export function sessionDocument(
  id: string,
  { revision, guard, head, segments, skip, entries }: StoredHead,
  expiresAt: Date | undefined,
): SessionDocument {
  const document = { _id: id, v: LAYOUT, revision, guard, head, segments, skip, entries }
  return expiresAt ? { ...document, expiresAt } : document
}

export function storedHead(document: SessionDocument): StoredHead {
  const dated = document.expiresAt === undefined || document.expiresAt instanceof Date
  if (!isLine(document) || !isHeadContent(document) || !dated) return unreadable(document)
  const { revision, guard, head, segments, skip, entries } = document
  const stored = { revision, guard, head, segments, skip, entries }
  return { ...stored, token: tokenOf(stored) }
}

/** Whether a list can show more of it than its id. */
export const isLine = ({ v, revision, guard, head }: SessionLine): boolean =>
  v === LAYOUT && [revision, guard, head].every((text) => typeof text === 'string')

/** What a list asks of a session. */
export type SessionLine = Pick<SessionDocument, 'v' | 'revision' | 'guard' | 'head'>

/** The revision of what has none. Which state it is of, its token says. */
export const UNREADABLE = 'unreadable'
const FIELDS = ['v', 'revision', 'guard', 'head', 'segments', 'skip', 'entries'] as const

/** Stands for a document that is no session: core finds that it cannot be read, and can still delete it. */
function unreadable(document: SessionDocument): StoredHead {
  const unchanged = Object.fromEntries(
    FIELDS.map((field) => [
      field,
      document[field] === undefined ? { $exists: false } : { $eq: document[field] },
    ]),
  )
  const empty = { head: '', segments: [], skip: 0, entries: [] }
  return {
    ...{ revision: UNREADABLE, guard: UNREADABLE, ...empty, unreadable: true },
    token: { unchanged },
  }
}
