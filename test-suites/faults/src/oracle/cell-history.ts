import type { Compression, Operation } from './operation.ts'
import { NEVER, NOTHING, type State } from './state.ts'

/** A write that the backend under the faults says it has applied. */
export interface AppliedWrite {
  readonly id: string
  readonly expected: string | null
  readonly revision: string
  readonly head: string
  /** How many entries go at the front; all of them for a replace. */
  readonly drop: number
  readonly entries: readonly string[]
  /** The calls that were open on this cell and storage when the request was sent, the oldest first. */
  readonly candidates: readonly Operation[]
  readonly storage: string
}

/** The committed states of one cell in commit order, as far back as an open call can still ask for. */
export class CellHistory {
  readonly id: string
  revision: string | null = null
  head = ''
  entries: readonly string[] = []
  touched = false
  readonly open = new Set<Operation>()
  readonly compressions: Compression[] = []
  /** Writes whose own base has not been reported yet, by that base. */
  readonly waiting = new Map<string | null, AppliedWrite>()
  readonly superseded = new Set<string | null>()
  /** `writer.number` of each operation of core that committed here. */
  readonly operations = new Set<string>()
  /** The last number of each of our writers that arrived here. */
  readonly lastOf = new Map<number, number>()
  #states: State[] = [NEVER]
  #first = 0

  constructor(id: string) {
    this.id = id
  }

  /** The number of the newest state. */
  get now(): number {
    return this.#first + this.#states.length - 1
  }

  get state(): State {
    return this.#states.at(-1) ?? NOTHING
  }

  push(state: State): void {
    this.#states.push(state)
    if (this.open.size === 0) this.#forget(this.now)
  }

  /** True if a state from number `start` on fits. */
  some(start: number, fits: (state: State) => boolean): boolean {
    if (start < this.#first) throw new Error('the oracle has forgotten a state that it needs')
    return this.#states.some((state, at) => this.#first + at >= start && fits(state))
  }

  end(operation: Operation): void {
    this.open.delete(operation)
    let oldest = this.now
    for (const { start } of this.open) oldest = Math.min(oldest, start)
    this.#forget(oldest)
  }

  #forget(before: number): void {
    // In batches: moving the whole list at each end would cost what it saves.
    if (before - this.#first < 64) return
    this.#states.splice(0, before - this.#first)
    this.#first = before
  }
}
