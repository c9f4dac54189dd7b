import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { BaseMemory, checkCompressor, type MemoryChange } from './base-memory.ts'
import type { MemoryState } from './memory-state.ts'

/** The memory that lives in this process: the reference for every other. */
export class InMemoryAgentMemory extends BaseMemory {
  #state: MemoryState = { items: [] }

  /** Only swaps the reference; the new compressor acts at the next add (RULE compressor swap). */
  async setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    this.compressor = checkCompressor(compressor)
  }

  protected async read(): Promise<MemoryState> {
    return this.#state
  }

  protected async commit(
    change: (current: () => MemoryState) => MemoryChange,
    committed?: () => void,
  ): Promise<void> {
    const next = change(() => this.#state)
    if (next) {
      this.#state =
        'add' in next ? { ...this.#state, items: [...this.#state.items, ...next.add] } : next.state
    }
    committed?.()
  }
}
