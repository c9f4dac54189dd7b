import type { Storage } from '@holdfast/core'
import type { Traffic } from '@holdfast/services'
import type { AppendBytes } from './bytes.ts'

/** A backend, opened by its own client, with two sets of tables or keys alike: Holdfast's and the bare client's. */
export interface Engine {
  /** Backend and client: `PostgreSQL, pg`. */
  readonly name: string
  /** What it was measured on, with versions. */
  readonly version: string
  /** What the bare side runs for one append. */
  readonly bareAppend: string
  readonly goals: Goals
  /** Holdfast's side, with the same settings of the client. */
  readonly storage: Storage
  readonly bare: BareClient
  /** Both sides again, through a proxy that counts; absent where nothing goes over a wire. */
  wired?(): Promise<Wired>
  /** Holdfast's side through a client that counts the bytes of each row that the database returns: where no proxy can. */
  countingRows?(): Promise<{ readonly storage: Storage; readonly bytes: () => number }>
  /** Bytes of tables and indexes after a checkpoint, in a fresh database that `fill` has filled. */
  bytesOnDisk?(fill: (storage: Storage) => Promise<void>): Promise<number>
  close(): Promise<void>
}

export interface Goals {
  /** An append, times the bare one. */
  readonly append: number
  /** Round trips of one append, where there is a wire. */
  readonly roundTrips?: number
}

/** Both sides of an engine over connections of their own, whose traffic is counted. */
export interface Wired {
  readonly storage: Storage
  readonly bare: BareClient
  traffic(): Traffic
  close(): Promise<void>
}

/** What the driver runs, straight on the client. What is synchronous there stays so. */
export interface BareClient {
  /** A session of so many entries. */
  create(id: string, bytes: AppendBytes, entries: number): Promise<void>
  /** Appends `count` entries to a session that this client created, one after the other, each for itself. */
  append(id: string, bytes: AppendBytes, count: number): unknown
  /** Reads the revision of a session `count` times. */
  readRevision(id: string, count: number): unknown
  /** Reads a page of 21 heads behind each of `after`. */
  list(after: readonly string[]): unknown
}
