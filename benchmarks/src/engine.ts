import type { SessionDriver } from '@holdfast/core'
import type { AppendBytes } from './bytes.ts'

/** A database, opened by its own client, with two sets of tables alike: Holdfast's and the bare client's. */
export interface Engine {
  readonly name: 'sqlite' | 'pglite'
  /** What the bare side runs for one append. */
  readonly statements: string
  /** Holdfast's driver over the same client settings. */
  readonly driver: SessionDriver
  /** The same driver, through a client that counts the bytes of each row that the database returns. */
  counting(): Promise<{ readonly driver: SessionDriver; readonly bytes: () => number }>
  readonly bare: BareClient
  /** Bytes of tables and indexes after a checkpoint, in a fresh database that `fill` has filled. */
  bytesOnDisk(fill: (driver: SessionDriver) => Promise<void>): Promise<number>
  close(): Promise<void>
}

/** The statements that the driver runs, prepared, straight on the client. What is synchronous there stays so. */
export interface BareClient {
  /** A session of so many entries; answers its first revision. */
  create(id: string, bytes: AppendBytes, entries: number): Promise<void>
  /** Appends `count` entries, one transaction each. */
  append(id: string, bytes: AppendBytes, count: number): unknown
  /** Reads the revision of a session `count` times. */
  readRevision(id: string, count: number): unknown
  /** Reads a page of 21 heads behind each of `after`. */
  list(after: readonly string[]): unknown
}
