import type { CompressorCapable } from '../contracts/agent-memory.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { checkOptions } from '../errors.ts'
import { Turns } from '../turns.ts'
import { BaseMemory } from './base-memory.ts'
import { Compression, checkCompressor, type MemoryChange, type StateCell } from './compression.ts'
import type { MemoryState } from './memory-state.ts'

/** The memory that lives in this process: the reference for every other. */
export class InMemoryAgentMemory extends BaseMemory implements CompressorCapable {
  readonly #cell: LocalCell
  readonly #compression: Compression

  /** `INVALID_ARGUMENT`: options or compressor are of the wrong type. */
  constructor(options: { readonly compressor?: MemoryCompressor | undefined } = {}) {
    const cell = new LocalCell()
    const compression = new Compression(checkOptions(options).compressor)
    super(cell, compression)
    this.#cell = cell
    this.#compression = compression
  }

  /** Only swaps the reference; the new compressor acts at the next add (RULE compressor swap). */
  async setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    checkCompressor(compressor)
    await this.#cell.turns.take(async () => {
      this.#compression.compressor = compressor
    })
  }
}

class LocalCell implements StateCell {
  // Turns: a call made inside `change` must not be overwritten by what `change` answers.
  readonly turns = new Turns()
  #state: MemoryState = { items: [] }

  read(): Promise<MemoryState> {
    return this.turns.take(async () => this.#state)
  }

  commit(
    change: (current: () => MemoryState) => MemoryChange,
    options?: { readonly committed?: () => void },
  ): Promise<void> {
    return this.turns.take(async () => {
      const next = change(() => this.#state)
      if (next) {
        const { items } = this.#state
        this.#state =
          'add' in next ? { ...this.#state, items: [...items, ...next.add] } : next.state
      }
      options?.committed?.()
    })
  }
}
