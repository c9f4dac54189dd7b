import type { Random } from './random.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
  dead: boolean
}

/** The earliest timer first; equal times in the order in which they were set. */
class TimerHeap {
  #list: Timer[] = []

  get size(): number {
    return this.#list.length
  }

  push(timer: Timer): void {
    const list = this.#list
    let at = list.push(timer) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (earlier(list[parent] as Timer, timer)) break
      list[at] = list[parent] as Timer
      at = parent
    }
    list[at] = timer
  }

  pop(): Timer | undefined {
    const list = this.#list
    const top = list[0]
    const last = list.pop()
    if (!top || !last || list.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= list.length) break
      if (child + 1 < list.length && earlier(list[child + 1] as Timer, list[child] as Timer)) {
        child++
      }
      if (earlier(last, list[child] as Timer)) break
      list[at] = list[child] as Timer
      at = child
    }
    list[at] = last
    return top
  }

  dropDead(): void {
    const living = this.#list.filter((timer) => !timer.dead)
    this.#list = []
    for (const timer of living) this.push(timer)
  }
}

const earlier = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)

/**
 * Time that passes only when nobody has anything left to do: `setTimeout`, `performance.now`, `Date.now`
 * and `Math.random` of this process, replaced for the length of one run. A wait of 15 s costs nothing,
 * and with the generator behind it the same seed gives the same interleaving to the last microtask.
 */
export class VirtualTime {
  readonly #heap = new TimerHeap()
  #now = 0
  #order = 0
  #dead = 0

  /** Runs `task` in virtual time; answers what it answers, in real time again. */
  async run<T>(random: Random, task: () => Promise<T>): Promise<T> {
    const restore = this.#install(random)
    let running = true
    const result = task().finally(() => {
      running = false
    })
    // Somebody may look at the result only after the pump has stopped.
    result.catch(() => {})
    try {
      let idle = 0
      while (running) {
        // A turn of the event loop: all microtasks that the last timer set off have run by then.
        await new Promise<void>((resolve) => setImmediate(resolve))
        if (!running) break
        idle = this.#fire() ? 0 : idle + 1
        if (idle > MAX_IDLE_TURNS)
          throw new Error('Everybody waits, and no timer is left to wake one.')
      }
    } finally {
      restore()
    }
    return result
  }

  #fire(): boolean {
    if (this.#dead > 1_000 && this.#dead > this.#heap.size / 2) {
      this.#heap.dropDead()
      this.#dead = 0
    }
    for (;;) {
      const timer = this.#heap.pop()
      if (!timer) return false
      if (timer.dead) {
        this.#dead--
        continue
      }
      timer.dead = true
      this.#now = Math.max(this.#now, timer.at)
      timer.run()
      return true
    }
  }

  #install(random: Random): () => void {
    const real = {
      setTimeout: globalThis.setTimeout,
      clearTimeout: globalThis.clearTimeout,
      random: Math.random,
      now: Date.now,
    }
    const set = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const at = this.#now + Math.max(0, ms)
      const timer: Timer = { at, order: this.#order++, run: () => run(...args), dead: false }
      this.#heap.push(timer)
      return timer
    }
    const clear = (timer: unknown) => {
      if (typeof timer !== 'object' || timer === null || !('order' in timer)) {
        // Set before this run began, by somebody else.
        real.clearTimeout(timer as Parameters<typeof clearTimeout>[0])
      } else if (!(timer as Timer).dead) {
        ;(timer as Timer).dead = true
        this.#dead++
      }
    }
    globalThis.setTimeout = set as unknown as typeof setTimeout
    globalThis.clearTimeout = clear as typeof clearTimeout
    Math.random = () => random.next()
    Date.now = () => EPOCH + Math.floor(this.#now)
    performance.now = () => this.#now
    return () => {
      globalThis.setTimeout = real.setTimeout
      globalThis.clearTimeout = real.clearTimeout
      Math.random = real.random
      Date.now = real.now
      // The real one is on the prototype.
      Reflect.deleteProperty(performance, 'now')
    }
  }
}

/** Real input and output (opening a file) may take some turns; a deadlock takes for ever. */
const MAX_IDLE_TURNS = 100_000

/** Any fixed day will do: heads carry the time of their last commit. */
const EPOCH = Date.UTC(2030, 0, 1)
