import type { StoredSession, Version } from '../driver.ts'
import type { Backend } from './backend.ts'
import { continueChain, sameChain } from './chain.ts'
import { decodeEntries, openMeta } from './codec.ts'
import { decodeHead, type Head, wrongCount } from './head.ts'
import type { Patience } from './patience.ts'

/** A cell as last seen. The arrays grow in place: an append must not cost what the session weighs. */
export interface Loaded {
  version: Version | null
  head: Head | undefined
  /** What the head keeps for the cell's owner, opened. */
  meta: string | undefined
  records: string[]
  sizes: number[]
  /** Entries in all: the sum of `sizes`. */
  count: number
}

export const nothing = (): Loaded => ({
  version: null,
  head: undefined,
  meta: undefined,
  records: [],
  sizes: [],
  count: 0,
})

/** Enough to skip every entry of any cell, and an integer for every backend. */
const SKIP_ALL = 2_147_483_647

const versionOf = ({ revision, token }: Version): Version => ({ revision, token })

/** Reads the state of one cell. */
export class CellReader {
  readonly #id: string
  readonly #backend: Backend

  constructor(id: string, backend: Backend) {
    this.#id = id
    this.#backend = backend
  }

  /** The newest state; takes over what `cached` holds of it. */
  async load(cached: Loaded, patience: Patience): Promise<Loaded> {
    const { version, head, count } = cached
    if (version && head) {
      const answer = await this.#read(patience, { unless: version.revision, skip: count })
      if (answer === 'unchanged') return cached
      if (!answer) return nothing()
      const next = decodeHead(answer.head, this.#id)
      if (sameChain(continueChain(head.c, answer.entries), next.c)) {
        return this.#decode(answer, next, cached)
      }
    }
    const answer = await this.#read(patience)
    if (!answer || answer === 'unchanged') return nothing()
    return this.#decode(answer, decodeHead(answer.head, this.#id), nothing())
  }

  /** The head alone, readable or not: enough to delete. */
  async loadHead(patience: Patience): Promise<Loaded> {
    const answer = await this.#read(patience, { skip: SKIP_ALL })
    if (!answer || answer === 'unchanged') return nothing()
    let head: Head | undefined
    try {
      head = decodeHead(answer.head, this.#id)
    } catch {
      // What cannot be read can still be deleted.
      head = { v: 1, n: 0, w: [], c: [0, 0], l: '', t: 0 }
    }
    return { ...nothing(), version: versionOf(answer), head }
  }

  #read(patience: Patience, options?: { readonly unless?: string; readonly skip?: number }) {
    return this.#backend.read(this.#id, (driver) => driver.read(this.#id, options), patience)
  }

  /** `answer`, whose entries follow those of `before`. */
  async #decode(answer: StoredSession, head: Head, before: Loaded): Promise<Loaded> {
    const { entries } = answer
    const count = before.count + entries.length
    const meta = await openMeta(head, this.#id, this.#backend)
    const { texts, sizes } = await decodeEntries(entries, this.#id, before.count, this.#backend)
    // No other check misses a lost row, and the next write would make the loss one for good.
    if (head.e !== undefined && head.e !== count) throw wrongCount(this.#id, count, head.e)
    // One by one: the arguments of a single push are limited.
    for (const text of texts) before.records.push(text)
    for (const size of sizes) before.sizes.push(size)
    return {
      version: versionOf(answer),
      head,
      meta,
      records: before.records,
      sizes: before.sizes,
      count,
    }
  }
}
