import type { ErrorKind, Version } from '../driver.ts'

/** Immutable entries that stand outside of the head. Plain JSON: a store keeps it as it is. */
export interface SegmentRef {
  /** Its name, unique and never reused: letters and digits, at most 32. */
  readonly name: string
  /** How many entries it holds. */
  readonly count: number
  /** Its size: the entries as UTF-8, and 16 for each. */
  readonly bytes: number
  /** How often it was merged. */
  readonly level: number
}

/** What a store keeps for one id under compare-and-set. */
export interface StoredHead extends Version {
  /**
   * Names this very write of the head: unique, letters and digits, at most 32. Collecting garbage changes it
   * while `revision` stays. A store without tokens of its own (such as an ETag) guards its writes by this
   * one and answers it as `token`.
   */
  readonly guard: string
  /** Core's head, as the driver was handed it: at most 16 KiB of UTF-8. */
  readonly head: string
  /** The segments that hold the older entries, oldest first. */
  readonly segments: readonly SegmentRef[]
  /** How many entries at the front of the first segment were dropped. */
  readonly skip: number
  /** The newest entries, inline: at most `inlineBytes` in all. */
  readonly entries: readonly string[]
  /**
   * Stands for what is stored and no head: core tells that it cannot be read and can delete it. No sweep touches its
   * segments, since nobody knows which of them it names.
   */
  readonly unreadable?: true
}

/** One segment that a store has. */
export interface ListedSegment {
  /** The id it was written for. */
  readonly id: string
  /** Its name. */
  readonly name: string
  /** When it was written, in epoch ms. */
  readonly at: number
}

/** A part of a listing of segments. */
export interface SegmentPage {
  /** Those of this page, in any order. */
  readonly segments: readonly ListedSegment[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
}

/**
 * What a backend offers to the technique: small heads under compare-and-set, and immutable segments beside
 * them. It writes no checks; errors are let through as they are.
 */
export interface SegmentStore {
  /**
   * The head, strongly consistent, with the token that the next write needs; `null` if there is none.
   * `'unchanged'` is allowed where its token is still that of `known`; an equal revision is not enough.
   */
  readHead(id: string, known?: Version): Promise<StoredHead | null | 'unchanged'>
  /**
   * Stores `next` if the stored head has the token of `expected` (`null`: if there is none) and answers its
   * version with its token; else changes nothing and answers `false`.
   */
  writeHead(id: string, next: StoredHead, expected: Version | null): Promise<Version | false>
  /** Optional. Removes the head if its token is still that of `expected`. */
  removeHead?(id: string, expected: Version): Promise<boolean>
  /** Ids with core's head and revision, as `SessionDriver.list` answers them. */
  listHeads(query: {
    readonly after?: string
    readonly before?: string
    readonly limit: number
  }): Promise<readonly { readonly id: string; readonly revision: string; readonly head: string }[]>
  /** Stores a segment under a name that was never used. */
  writeSegment(id: string, name: string, entries: readonly string[]): Promise<void>
  /** The entries of a segment; `undefined` where it is gone. */
  readSegment(id: string, name: string): Promise<readonly string[] | undefined>
  /** Removes segments; those that are gone already are no error. */
  removeSegments(id: string, names: readonly string[]): Promise<void>
  /** Segments of ids strictly between `after` and `before`, in any order, a few hundred at a time. `from`: the `next` of the page before. */
  listSegments(query: {
    readonly after?: string
    readonly before?: string
    readonly from?: string
  }): Promise<SegmentPage>
  /** As `SessionDriver.classify`. */
  classify?(error: unknown): ErrorKind | undefined
}
