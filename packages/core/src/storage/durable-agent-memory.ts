import type {
  AgentMemory,
  CompressorCapable,
  MemorySnapshot,
  Persistent,
} from '../contracts/agent-memory.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { BaseMemory } from '../memory/base-memory.ts'
import { type Compression, checkCompressor } from '../memory/compression.ts'
import { stateOf } from '../memory/memory-state.ts'
import type { Cell } from './cell.ts'
import { MemoryCell } from './memory-cell.ts'
import { recordsOf } from './memory-records.ts'
import { swapCompressor } from './swap-compressor.ts'

/**
 * A memory that outlives the process, in one cell of a storage. `storage.memory(id)` makes it.
 *
 * Errors of reads: `STORAGE_FAILED`, `CORRUPT`, `UNSUPPORTED` (stored by a newer version), `CLOSED`. Writes
 * have those, `CONFLICT` and `TOO_LARGE`, each with its `outcome`.
 */
export class DurableAgentMemory extends BaseMemory implements CompressorCapable, Persistent {
  readonly #cell: Cell
  readonly #state: MemoryCell
  readonly #compression: Compression
  #swaps = 0
  #swapped = 0

  /** @internal */
  constructor(cell: Cell, compression: Compression) {
    const state = new MemoryCell(cell)
    super(state, compression)
    this.#cell = cell
    this.#state = state
    this.#compression = compression
  }

  get identity(): object {
    return this.#cell
  }

  pin(): AgentMemory {
    // No more than an `AgentMemory` with snapshots: what deletes or adopts is not bound to a life.
    return new BaseMemory(new MemoryCell(this.#cell, true), this.#compression)
  }

  delete(): Promise<boolean> {
    return this.#cell.delete()
  }

  async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    const records = recordsOf(stateOf(snapshot, 'snapshot'))
    let adopted = false
    await this.#cell.commit(
      ({ revision }) => {
        adopted = revision === undefined
        return adopted ? { records } : undefined
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
    const number = ++this.#swaps
    const swap = () => {
      // Of several calls the latest counts, whichever is done last.
      if (number < this.#swapped) return
      this.#swapped = number
      this.#compression.compressor = compressor
    }
    if (compressor) return swapCompressor(this.#compression, this.#state, compressor, swap)
    await this.#cell.turn(async () => swap())
  }
}
