import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { HoldfastError, type WriteOutcome, wrong } from '../errors.ts'
import { continues, type MemoryState, snapshotOf, stateOf } from './memory-state.ts'

/** Items to add behind what is there; the whole state to install (`create`: even an empty one); or nothing to do. */
export type MemoryChange =
  | { readonly add: readonly string[] }
  | { readonly state: MemoryState; readonly create?: boolean }
  | undefined

/** In what memories differ: how the state is read and how a change of it is committed. */
export interface StateCell {
  read(): Promise<MemoryState>
  /**
   * Applies `change` to the current state in one atomic commit, in call order. `change` may run again,
   * each time on a newer state; `committed` runs once, before the turn of the next call.
   */
  commit(
    change: (current: () => MemoryState) => MemoryChange,
    options?: { readonly fresh?: boolean; readonly committed?: () => void },
  ): Promise<void>
}

/** What a compressor saw, and what it makes of it. */
interface Asked {
  readonly seen: MemoryState
  readonly answer: Promise<MemoryState>
}

/** How often an asynchronous compression may lose to another writer before it gives up. */
export const MAX_LOST_RACES = 3

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof Object(value).then === 'function'

export function checkCompressor(compressor: unknown): MemoryCompressor | undefined {
  if (compressor !== undefined && typeof Object(compressor).compress !== 'function') {
    throw wrong('A compressor', 'an object with compress', compressor)
  }
  return compressor as MemoryCompressor | undefined
}

const compressionFailed = (cause: unknown, outcome: WriteOutcome) =>
  new HoldfastError(
    'COMPRESSION_FAILED',
    `The compression failed (see the cause); the write is ${outcome}.`,
    { cause, outcome },
  )

/** The one place where a compressor is called. RULE failing compressor: whatever goes wrong is `COMPRESSION_FAILED`. */
export function ask(
  compressor: MemoryCompressor,
  seen: MemoryState,
  outcome: WriteOutcome,
): MemoryState | Promise<MemoryState> {
  const check = (answer: unknown) => stateOf(answer, 'The answer of compress')
  const fail = (cause: unknown): never => {
    throw compressionFailed(cause, outcome)
  }
  try {
    const answer: unknown = compressor.compress(snapshotOf(seen))
    if (!isPromise(answer)) return check(answer)
    const state = Promise.resolve(answer).then(check).catch(fail)
    // If its attempt is lost, nobody waits for it.
    state.catch(() => {})
    return state
  } catch (cause) {
    return fail(cause)
  }
}

/** Puts `result` in place of exactly what `seen` holds, keeping what came after; false if that changed. */
export async function install(
  cell: StateCell,
  seen: MemoryState,
  result: MemoryState,
  committed?: () => void,
): Promise<boolean> {
  let unchanged = false
  await cell.commit(
    (current) => {
      const state = current()
      unchanged = continues(state, seen)
      const added = state.items.slice(seen.items.length)
      return unchanged ? { state: { ...result, items: [...result.items, ...added] } } : undefined
    },
    { committed: () => unchanged && committed?.() },
  )
  return unchanged
}

/** RULE compression on the write path: the compressor of one handle, and the adds that run it. */
export class Compression {
  compressor: MemoryCompressor | undefined
  /** The compression under way, one at a time per handle; resolves at its end. */
  running: Promise<void> | undefined
  /** The compression that every add behind the running one shares. */
  #next: Promise<void> | undefined

  constructor(compressor: unknown) {
    this.compressor = checkCompressor(compressor)
  }

  /** Takes the one place; answers how to leave it. */
  enter(): () => void {
    let end!: () => void
    const running = new Promise<void>((resolve) => {
      end = resolve
    })
    this.running = running
    return () => {
      if (this.running === running) this.running = undefined
      end()
    }
  }

  async add(cell: StateCell, texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return
    let asked: Asked | undefined
    let failure: unknown
    let behind = false
    let leave: (() => void) | undefined
    try {
      await cell.commit((current) => {
        asked = failure = undefined
        const { compressor } = this
        behind = Boolean(compressor && !leave && (this.running ?? this.#next))
        if (!compressor || behind) return { add: texts }
        const state = current()
        const seen = { ...state, items: [...state.items, ...texts] }
        try {
          const answer = ask(compressor, seen, 'committed')
          if (!(answer instanceof Promise)) return { state: answer }
          asked = { seen, answer }
          leave ??= this.enter()
        } catch (error) {
          failure = error
        }
        return { add: texts }
      })
      if (failure) throw failure
      if (asked) await this.#settle(cell, asked)
    } finally {
      leave?.()
    }
    if (behind) await this.#shareNext(cell)
  }

  #shareNext(cell: StateCell): Promise<void> {
    this.#next ??= (async () => {
      // First of all let `#next` be set: everybody who comes now shares it.
      await undefined
      while (this.running) await this.running
      const leave = this.enter()
      this.#next = undefined
      try {
        await this.#settle(cell)
      } finally {
        leave()
      }
    })()
    return this.#next
  }

  /** Compresses what is stored until a result could be installed, at most `MAX_LOST_RACES` times. */
  async #settle(cell: StateCell, asked?: Asked): Promise<void> {
    try {
      for (let race = 0; race < MAX_LOST_RACES; race++) {
        const seen = asked?.seen ?? (await cell.read())
        const answer = asked?.answer ?? (this.compressor && ask(this.compressor, seen, 'committed'))
        asked = undefined
        if (!answer || (await install(cell, seen, await answer))) return
      }
    } catch (error) {
      const { code } = error as HoldfastError
      throw code === 'COMPRESSION_FAILED' ? error : compressionFailed(error, 'committed')
    }
  }
}
