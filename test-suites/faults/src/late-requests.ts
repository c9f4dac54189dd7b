interface Request {
  left: number
  readonly land: () => Promise<unknown>
}

/** Requests that were given up by whoever sent them and still reach the backend, some operations later. */
export class LateRequests {
  readonly #under: Request[] = []
  readonly #landing = new Set<Promise<unknown>>()

  /** `land` runs when `operations` more calls have been made by anybody. */
  add(operations: number, land: () => Promise<unknown>): void {
    this.#under.push({ left: operations, land })
  }

  /** Somebody calls the backend. */
  tick(): void {
    for (let at = this.#under.length - 1; at >= 0; at--) {
      const request = this.#under[at] as Request
      if (--request.left > 0) continue
      this.#under.splice(at, 1)
      this.#land(request)
    }
  }

  /** All that are still under way land now. */
  async flush(): Promise<void> {
    while (this.#under.length > 0) this.#land(this.#under.pop() as Request)
    await Promise.all(this.#landing)
  }

  #land({ land }: Request): void {
    const landing = land().catch(() => {})
    this.#landing.add(landing)
    landing.finally(() => this.#landing.delete(landing))
  }
}
