import type { AppendBytes } from '../bytes.ts'

/** What a bare document or object holds at most, of entries; beyond that the older ones move out. */
const INLINE_BYTES = 65_536
/** What an entry takes beside its text. */
const OVERHEAD = 16
/** What stays when they do. */
const KEPT = 0.25

/** A document or object that holds the newest entries, all alike, with the older ones in others that are written once. */
export class BareSession {
  readonly #limit: number
  readonly #kept: number
  inline: number

  constructor({ body }: AppendBytes, entries: number) {
    this.#limit = Math.floor(INLINE_BYTES / (body.length + OVERHEAD))
    this.#kept = Math.floor(this.#limit * KEPT)
    this.inline = entries > this.#limit ? this.#kept : entries
  }

  /** Counts one more; answers how many entries have to move out, which is mostly none. */
  add(): number {
    this.inline++
    if (this.inline <= this.#limit) return 0
    const out = this.inline - this.#kept
    this.inline = this.#kept
    return out
  }
}
