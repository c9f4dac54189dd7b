/** Counts how often each call ran in each session, against how often it may. */
export class CallCounts {
  readonly faults: string[] = []
  readonly #sessions = new Map<string, Map<string, { left: number }>>()

  #of(session: string): Map<string, { left: number }> {
    const counts = this.#sessions.get(session) ?? new Map<string, { left: number }>()
    this.#sessions.set(session, counts)
    return counts
  }

  #count(session: string, nonce: string, first: number): { left: number } {
    const counts = this.#of(session)
    const count = counts.get(nonce) ?? { left: first }
    counts.set(nonce, count)
    return count
  }

  /** Somebody let it run, once more. `first`: how often it may run unasked. */
  allow(session: string, nonce: string, first: number): void {
    this.#count(session, nonce, first).left++
  }

  ran(session: string, nonce: string, first: number): void {
    const count = this.#count(session, nonce, first)
    count.left--
    if (count.left < 0) {
      this.faults.push(`the call ${nonce} of ${session} ran, though nobody let it run (again)`)
    }
  }

  /** A copy of a session goes on from what was. `anew`: from an earlier state, where calls may be to run again. */
  copy(from: string, to: string, anew: boolean): void {
    for (const [nonce, { left }] of this.#of(from)) {
      this.#of(to).set(nonce, { left: anew ? Number.POSITIVE_INFINITY : left })
    }
  }
}
