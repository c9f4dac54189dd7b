/** Names one state of a cell. */
export interface Version {
  /** The opaque name of one state of one cell; core makes it, unique per write, never reused. */
  readonly revision: string
  /** The driver's own (an ETag, say): core hands it back unread. */
  readonly token?: unknown
}

/** What is stored for one id. Core makes these strings; a driver keeps them and never looks inside. */
export interface StoredSession extends Version {
  /** Small JSON text, at most 16 KiB of UTF-8. */
  readonly head: string
  /** JSON texts in order, at most 1 MiB of UTF-8 each. */
  readonly entries: readonly string[]
}

/** One row of a listing. */
export interface Listed extends Version {
  /** The id, byte for byte as it was stored. */
  readonly id: string
  /** Its head as stored. */
  readonly head: string
}

/** What `append` changes. */
export interface Append {
  /** The revision of the new state. */
  readonly revision: string
  /** The new head. */
  readonly head: string
  /** How many entries to remove at the front; 0 for none, at most all of them. */
  readonly drop: number
  /** The entries to add behind the rest, in order. May be empty. */
  readonly entries: readonly string[]
}

/** What `sweep` looks through. */
export interface Sweep {
  /** Ids above this one alone. */
  readonly after: string
  /** Ids below this one alone. */
  readonly before: string
  /** In ms, at least 600,000. */
  readonly olderThanMs: number
  /** The `next` of the page before; absent on the first one. */
  readonly from?: string
}

/** What one page of a `sweep` did. */
export interface Swept {
  /** How many pieces it removed. */
  readonly removed: number
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
}

/**
 * What kind of error a client threw. `transient`: worth trying again, the request may have been applied or
 * not. `too-large`, `refused`: surely not applied, and trying again does not help (a value over a limit; a
 * full disk, a read-only database, a missing table). `closed`: the client is. `corrupt`: what is stored
 * cannot be read.
 */
export type ErrorKind = 'transient' | 'too-large' | 'refused' | 'closed' | 'corrupt'

/**
 * The interface that a storage backend implements. One session is one cell that the backend already
 * updates atomically: a row, a document, a hash, an object.
 *
 * Arguments are finished: strings are well-formed Unicode without U+0000, ids have no control
 * characters and at most 400 UTF-8 bytes. A driver writes no checks and stores every string byte for
 * byte. A conflict is `false`, never an exception. Errors of the backend are let through as they are:
 * core classifies and wraps them once, retries where that is safe, and ends each call after its timeout.
 */
export interface SessionDriver {
  /**
   * The stored state; `null` if there is none; `'unchanged'` if its revision is still `unless`.
   * `skip` leaves out that many entries at the front (all of them, if there are fewer).
   * Must answer one atomic state and see every acknowledged write.
   */
  read(
    id: string,
    options?: { readonly unless?: string; readonly skip?: number },
  ): Promise<StoredSession | null | 'unchanged'>
  /**
   * Stores exactly `next` if the stored state is `expected` (`null`: if nothing is stored) and answers
   * its version; otherwise changes nothing and answers `false`.
   */
  replace(id: string, next: StoredSession, expected: Version | null): Promise<Version | false>
  /**
   * Optional. As `replace`, but drops the first `drop` entries and adds `entries` behind the rest: what
   * a long session costs per turn. Must cost the same at 10 entries and at 10,000.
   */
  append?(id: string, change: Append, expected: Version): Promise<Version | false>
  /**
   * Optional. Removes the cell if it is still at `expected`; a backend that cannot do so conditionally
   * leaves it out (tombstones then stay).
   */
  delete?(id: string, expected: Version): Promise<boolean>
  /**
   * Ids with head and version, ascending by their UTF-8 bytes, strictly between `after` and `before`, at
   * most `limit`; fewer only where there are no more.
   */
  list(query: {
    readonly after?: string
    readonly before?: string
    readonly limit: number
  }): Promise<readonly Listed[]>
  /**
   * Optional. Removes one page of what interrupted writes left behind for ids strictly between `after` and
   * `before`, where it is older than `olderThanMs`; never what a stored state needs, nor what a write under
   * way may yet name. Answers how many objects, rows or documents it removed, and where the next page
   * begins (`next`, to be passed as `from`) unless it was the last. For a driver that keeps one session in
   * several places. `storage.purge()` calls it.
   */
  sweep?(query: Sweep): Promise<Swept>
  /**
   * Optional. What kind of error the client threw; `undefined`: unknown. Core then re-reads for the verdict
   * but does not apply again.
   */
  classify?(error: unknown): ErrorKind | undefined
}
