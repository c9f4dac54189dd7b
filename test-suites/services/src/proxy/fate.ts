/** Client to server, or server to client. */
export type Direction = 'request' | 'answer'

/** The bytes that go one way on one connection before any go the other way. */
export interface Burst {
  readonly direction: Direction
  /** The connection, in the order of their beginnings, from 1. */
  readonly connection: number
  /** Which burst of this direction it is on its connection, from 1. */
  readonly number: number
  /** What came of it so far: the beginning, or all. */
  readonly bytes: Uint8Array
}

/**
 * What becomes of a burst.
 *
 * - `pass`: it goes on.
 * - `cut`: the connection is reset at both ends before any byte of the burst went on. For an answer: the
 *   server did the work, and the client does not know. For a request: the server never saw it.
 * - `swallow`: neither this burst nor anything behind it in its direction goes on, while the connection stays
 *   open. TCP loses nothing in the middle, so later bytes may not come through either.
 * - `delayMs`: the burst and what is behind it in its direction go on so much later.
 */
export type Fate = 'pass' | 'cut' | 'swallow' | { readonly delayMs: number }

export type DecideFate = (burst: Burst) => Fate
