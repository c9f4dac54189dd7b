import type { MemorySnapshot, Persistent } from '../contracts/agent-memory.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { HoldfastError } from '../errors.ts'
import {
  BaseMemory,
  checkCompressor,
  compressionFailed,
  isPromise,
  MAX_LOST_RACES,
  type MemoryChange,
} from '../memory/base-memory.ts'
import { type MemoryState, snapshotOf, stateOf } from '../memory/memory-state.ts'
import type { Cell } from './cell.ts'
import { changeOf, memoryOf, recordsOf } from './memory-records.ts'

/**
 * A memory that outlives the process, in one cell of a storage. `storage.memory(id)` makes it.
 * Errors of every write: `STORAGE_FAILED`, `CONFLICT`, `TOO_LARGE`, `CORRUPT`, `CLOSED`, each with its `outcome`.
 */
export class DurableAgentMemory extends BaseMemory implements Persistent {
  readonly #cell: Cell

  /** @internal */
  constructor(cell: Cell, options?: { readonly compressor?: MemoryCompressor | undefined }) {
    super(options)
    this.#cell = cell
  }

  get identity(): object {
    return this.#cell
  }

  life(): Promise<string | undefined> {
    return this.#cell.read((state) => state.life)
  }

  delete(): Promise<boolean> {
    return this.#cell.delete()
  }

  async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    const state = stateOf(snapshot, 'snapshot')
    let adopted = false
    await this.#cell.commit(
      ({ touched }) => {
        adopted = !touched
        // Even an empty snapshot is stored: from here on, something was.
        return adopted ? { records: recordsOf(state) } : undefined
      },
      { fresh: true },
    )
    return adopted
  }

  /**
   * Rewrites the stored state at once, and has done so when it resolves (RULE compressor swap). If it
   * fails, neither state nor compressor changed: `COMPRESSION_FAILED`, `CONFLICT` after three lost races,
   * or an error of the storage.
   */
  async setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    checkCompressor(compressor)
    const committed = () => {
      this.compressor = compressor
    }
    if (!compressor) return this.#cell.turn(async () => committed())
    for (let race = 0; race < MAX_LOST_RACES; race++) {
      let seen!: MemoryState
      let answer: unknown
      const asked = () => isPromise(answer)
      await this.#cell.commit(
        (cell) => {
          seen = memoryOf(cell.records).state
          try {
            answer = compressor.compress(snapshotOf(seen))
            if (asked()) return undefined
            return changeOf(cell, { state: stateOf(answer, 'The answer of compress') })
          } catch (cause) {
            throw compressionFailed(cause, 'not-committed')
          }
        },
        // Fresh: a compressor that takes its time is asked once.
        { fresh: true, committed: () => asked() || committed() },
      )
      if (!asked()) return
      let result: MemoryState
      try {
        result = stateOf(await answer, 'The answer of compress')
      } catch (cause) {
        throw compressionFailed(cause, 'not-committed')
      }
      if (await this.install(seen, result, committed)) return
    }
    throw new HoldfastError(
      'CONFLICT',
      `Other writers changed ${JSON.stringify(this.#cell.id)} during ${MAX_LOST_RACES} compressions; set the compressor again.`,
      { outcome: 'not-committed' },
    )
  }

  protected read(): Promise<MemoryState> {
    return this.#cell.read((state) => memoryOf(state.records).state)
  }

  protected commit(
    change: (current: () => MemoryState) => MemoryChange,
    committed?: () => void,
  ): Promise<void> {
    return this.#cell.commit(
      (cell) => {
        const next = change(() => memoryOf(cell.records).state)
        return next && changeOf(cell, next)
      },
      { committed },
    )
  }
}
