import type { StoredSession } from '@holdfast/core'

let count = 0

/** A state of a revision of its own. */
export const state = (...entries: readonly string[]): StoredSession => ({
  revision: `r${++count}`,
  head: JSON.stringify({ v: count }),
  entries,
})
