/** What was done to a prompt so that a model accepts it, by kind: a report must not grow with the memory. */
export class RepairCounts {
  readonly #counts = new Map<string, number>()

  readonly note = (what: string, count = 1): void => {
    if (count) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count)
  }

  /** One line for each kind. */
  lines(): string[] {
    return Array.from(this.#counts, ([what, count]) => `${what} (${count})`)
  }
}
