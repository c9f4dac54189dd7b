/** Runs tasks one after the other, in the order in which they were handed in, whatever becomes of each. */
export class Turns {
  #tail: Promise<unknown> = Promise.resolve()

  /** Runs `task` once those before it have ended; answers what it answers. */
  take<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#tail.then(task)
    this.#tail = run.catch(() => {})
    return run
  }
}
