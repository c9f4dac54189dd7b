import type { StoredHead } from './segment-store.ts'

/** The heads seen last, by id: with one at hand an append need not read. Bounded by what they weigh. */
export class HeadCache {
  readonly #maxBytes: number
  readonly #heads = new Map<string, { readonly head: StoredHead; readonly bytes: number }>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(id: string): StoredHead | undefined {
    const found = this.#heads.get(id)
    if (!found) return undefined
    // A map is in the order of insertion: what is used last goes to its end.
    this.#heads.delete(id)
    this.#heads.set(id, found)
    return found.head
  }

  set(id: string, head: StoredHead): void {
    this.delete(id)
    const bytes = weigh(id, head)
    if (bytes > this.#maxBytes) return
    this.#heads.set(id, { head, bytes })
    this.#bytes += bytes
    for (const oldest of this.#heads.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  delete(id: string): void {
    this.#bytes -= this.#heads.get(id)?.bytes ?? 0
    this.#heads.delete(id)
  }
}

/** About what a head takes in memory: two bytes a character, and the objects around. */
const weigh = (id: string, { head, segments, entries }: StoredHead): number =>
  entries.reduce(
    (sum, entry) => sum + 2 * entry.length + 32,
    2 * (id.length + head.length) + 128 * segments.length + 512,
  )
