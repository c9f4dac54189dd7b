import type {
  AgentMemory,
  CompressorCapable,
  MemorySnapshot,
  SnapshotCapable,
} from '../contracts/agent-memory.ts'
import { type AgentItem, systemMessage } from '../contracts/item.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { HoldfastError, invalid, show, type WriteOutcome } from '../errors.ts'
import { isRecord } from '../json.ts'
import {
  checkSummary,
  continues,
  type MemoryState,
  outputTexts,
  snapshotOf,
  stateOf,
  toolOutputTexts,
  userInputTexts,
} from './memory-state.ts'

/** Items to add behind what is there, the whole state to install, or nothing to do. */
export type MemoryChange =
  | { readonly add: readonly string[] }
  | { readonly state: MemoryState }
  | undefined

/** How often an asynchronous compression may lose to another writer before it gives up. */
export const MAX_LOST_RACES = 3

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  isRecord(value) && typeof value['then'] === 'function'

export const compressionFailed = (cause: unknown, outcome: WriteOutcome) =>
  new HoldfastError('COMPRESSION_FAILED', `The compressor failed; the write is ${outcome}.`, {
    cause,
    outcome,
  })

export function checkCompressor(compressor: unknown): MemoryCompressor | undefined {
  if (compressor === undefined) return undefined
  if (!isRecord(compressor) || typeof compressor['compress'] !== 'function') {
    throw invalid(`A compressor must have a compress method, got ${show(compressor)}.`)
  }
  return compressor as unknown as MemoryCompressor
}

/** One compression of one handle, from the call of the compressor to its end. */
class Compression {
  end!: () => void
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve
  })
}

/**
 * The rules of every memory (DESIGN §3.1), over the two things in which memories differ: how the state
 * is read and how a change of it is committed.
 */
export abstract class BaseMemory implements AgentMemory, SnapshotCapable, CompressorCapable {
  protected compressor: MemoryCompressor | undefined
  /** The compression under way: one at a time per handle. */
  #running: Compression | undefined
  /** The compression that every add behind the running one shares. */
  #next: Promise<void> | undefined

  constructor(options: { readonly compressor?: MemoryCompressor | undefined } = {}) {
    if (!isRecord(options)) throw invalid(`Memory options must be an object, got ${show(options)}.`)
    this.compressor = checkCompressor(options.compressor)
  }

  protected abstract read(): Promise<MemoryState>

  /**
   * Applies `change` to the current state in one atomic commit, in call order. `change` may run again,
   * each time on a newer state; `committed` runs once, before the turn of the next call.
   */
  protected abstract commit(
    change: (current: () => MemoryState) => MemoryChange,
    committed?: () => void,
  ): Promise<void>

  async addUserInput(
    input: string | AgentItem | readonly AgentItem[] | null | undefined,
  ): Promise<void> {
    await this.#add(userInputTexts(input))
  }

  async addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void> {
    await this.#add(outputTexts(items))
  }

  async addToolOutput(
    callId: string | null | undefined,
    output: string | readonly AgentItem[],
  ): Promise<void> {
    await this.#add(toolOutputTexts(callId, output))
  }

  /** RULE summary injection: the system message is made here and never stored. */
  async getItems(): Promise<AgentItem[]> {
    const { items, summary } = snapshotOf(await this.read())
    return summary?.trim() ? [systemMessage(summary), ...items] : [...items]
  }

  async getSummary(): Promise<string | undefined> {
    return (await this.read()).summary
  }

  async snapshot(): Promise<MemorySnapshot> {
    return snapshotOf(await this.read())
  }

  async clear(): Promise<void> {
    await this.commit(() => ({ state: { items: [] } }))
  }

  async restore(snapshot: MemorySnapshot): Promise<void> {
    const state = stateOf(snapshot, 'snapshot')
    await this.commit(() => ({ state }))
  }

  async update(change: (current: MemorySnapshot) => MemorySnapshot): Promise<MemorySnapshot> {
    if (typeof change !== 'function') throw invalid(`update needs a function, got ${show(change)}.`)
    let state!: MemoryState
    await this.commit((current) => {
      state = stateOf(change(snapshotOf(current())), 'The answer of update')
      return { state }
    })
    return snapshotOf(state)
  }

  async setSummary(summary: string | undefined): Promise<void> {
    checkSummary(summary)
    await this.commit((current) => ({ state: { items: current().items, summary } }))
  }

  abstract setCompressor(compressor: MemoryCompressor | undefined): Promise<void>

  /** RULE compression on the write path. */
  async #add(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return
    const own = new Compression()
    let failure: { readonly cause: unknown } | undefined
    let open: { readonly seen: MemoryState; readonly answer: unknown } | undefined
    let behind = false
    try {
      await this.commit((current) => {
        failure = open = undefined
        behind = false
        if (!this.compressor) return { add: texts }
        behind = this.#running !== own && Boolean(this.#running ?? this.#next)
        if (behind) return { add: texts }
        const seen = { ...current(), items: [...current().items, ...texts] }
        try {
          const answer: unknown = this.compressor.compress(snapshotOf(seen))
          if (!isPromise(answer)) return { state: stateOf(answer, 'The answer of compress') }
          // If this attempt is lost, nobody waits for the promise.
          Promise.resolve(answer).catch(() => {})
          open = { seen, answer }
          this.#running = own
        } catch (cause) {
          failure = { cause }
        }
        return { add: texts }
      })
      if (failure) throw compressionFailed((failure as { cause: unknown }).cause, 'committed')
      if (open) await this.#settle(open)
    } finally {
      if (this.#running === own) this.#running = undefined
      own.end()
    }
    if (behind) await this.#shareNext()
  }

  #shareNext(): Promise<void> {
    this.#next ??= (async () => {
      // First of all let `#next` be set: everybody who comes now shares it.
      await undefined
      while (this.#running) await this.#running.ended
      const own = new Compression()
      this.#running = own
      this.#next = undefined
      try {
        await this.#settle()
      } finally {
        this.#running = undefined
        own.end()
      }
    })()
    return this.#next
  }

  /** Compresses what is stored until a result could be installed, at most `MAX_LOST_RACES` times. */
  async #settle(open?: { readonly seen: MemoryState; readonly answer: unknown }): Promise<void> {
    try {
      for (let race = 0; race < MAX_LOST_RACES; race++) {
        const attempt = open ?? (await this.#ask())
        open = undefined
        if (!attempt) return
        const result = stateOf(await attempt.answer, 'The answer of compress')
        if (await this.install(attempt.seen, result)) return
      }
    } catch (cause) {
      throw compressionFailed(cause, 'committed')
    }
  }

  async #ask() {
    const { compressor } = this
    if (!compressor) return undefined
    const seen = await this.read()
    return { seen, answer: compressor.compress(snapshotOf(seen)) as unknown }
  }

  /** Puts `result` in place of exactly what `seen` holds, keeping what came after; false if that changed. */
  protected async install(
    seen: MemoryState,
    result: MemoryState,
    committed?: () => void,
  ): Promise<boolean> {
    let unchanged = false
    await this.commit(
      (current) => {
        const state = current()
        unchanged = continues(state, seen)
        return unchanged
          ? {
              state: {
                ...result,
                items: [...result.items, ...state.items.slice(seen.items.length)],
              },
            }
          : undefined
      },
      committed && (() => unchanged && committed()),
    )
    return unchanged
  }
}
