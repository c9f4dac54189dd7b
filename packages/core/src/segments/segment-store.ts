import type { ErrorKind, Version } from '../driver.ts'

/** Immutable entries that stand outside of the head. */
export interface SegmentRef {
  /** Its name, unique and never reused. */
  readonly name: string
  /** How many entries it holds. */
  readonly count: number
  /** How often it was merged: 0 as it was cut off the head. */
  readonly level: number
}

/** What a store keeps for one id under compare-and-set. Its size is bounded, whatever the session's. */
export interface StoredHead extends Version {
  /** Core's head, as the driver was handed it. */
  readonly head: string
  /** The segments that hold the older entries, oldest first. */
  readonly segments: readonly SegmentRef[]
  /** How many entries at the front of the first segment were dropped. */
  readonly skip: number
  /** The newest entries, inline. */
  readonly entries: readonly string[]
}

/** One segment that a store has. */
export interface ListedSegment {
  /** The id it was written for. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** When it was written, by the clock of the store, in epoch ms. */
  readonly at: number
}

/**
 * What a backend offers to the technique: small heads under compare-and-set, and immutable segments beside
 * them. It writes no checks; errors are let through as they are.
 */
export interface SegmentStore {
  /** The head, strongly consistent; `null` if there is none; `'unchanged'` is allowed where its revision is still that of `known`. */
  readHead(id: string, known?: Version): Promise<StoredHead | null | 'unchanged'>
  /** Stores `next` if the stored head is `expected` (`null`: if there is none) and answers its version; else `false`. */
  writeHead(id: string, next: StoredHead, expected: Version | null): Promise<Version | false>
  /** Optional. Removes the head if it is still `expected`. */
  removeHead?(id: string, expected: Version): Promise<boolean>
  /** Ids with core's head and version, as `SessionDriver.list` answers them. */
  listHeads(query: {
    readonly after?: string
    readonly before?: string
    readonly limit: number
  }): Promise<readonly (Version & { readonly id: string; readonly head: string })[]>
  /** Stores a segment of a name that was never used. */
  writeSegment(id: string, name: string, entries: readonly string[]): Promise<void>
  /** The entries of a segment; `undefined` where it is gone. */
  readSegment(id: string, name: string): Promise<readonly string[] | undefined>
  /** Removes segments; those that are gone already are no error. */
  removeSegments(id: string, names: readonly string[]): Promise<void>
  /** Segments of ids strictly between `after` and `before`, in any order, page by page. */
  listSegments(query: {
    readonly after?: string
    readonly before?: string
  }): AsyncIterable<readonly ListedSegment[]>
  /** As `SessionDriver.classify`. */
  classify?(error: unknown): ErrorKind | undefined
}
