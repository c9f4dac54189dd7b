import { HoldfastError } from '@holdfast/core'
import type { SegmentRef, StoredHead } from '@holdfast/core/segments'

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

/** Refuses a session that this version cannot read, rather than take its fields for what they are not. */
export function checkLayout({ _id, v }: Pick<SessionDocument, '_id' | 'v'>): void {
  if (v === LAYOUT) return
  const id = JSON.stringify(_id)
  throw typeof v === 'number' && v > LAYOUT
    ? new HoldfastError(
        'UNSUPPORTED',
        `${id} is stored in layout ${v}; this version of @holdfast/mongodb reads layout ${LAYOUT}. Upgrade it.`,
      )
    : new HoldfastError(
        'CORRUPT',
        `The document ${id} has no layout that there is (its v is ${JSON.stringify(v)}); restore it from a backup or remove it.`,
      )
}

/** What is known of the stored head, handed back with the next write of it. */
export type HeadToken = Omit<StoredHead, 'head' | 'token'>

export const tokenOf = ({ revision, guard, segments, skip, entries }: HeadToken): HeadToken => ({
  revision,
  guard,
  segments,
  skip,
  entries,
})

export function storedHead(document: SessionDocument): StoredHead {
  const { revision, guard, head, segments, skip, entries } = document
  const stored = { revision, guard, head, segments, skip, entries }
  return { ...stored, token: tokenOf(stored) }
}
