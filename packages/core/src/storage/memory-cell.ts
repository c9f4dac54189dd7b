import { HoldfastError } from '../errors.ts'
import type { MemoryChange, StateCell } from '../memory/compression.ts'
import type { MemoryState } from '../memory/memory-state.ts'
import type { Cell, CellState, CommitOptions } from './cell.ts'
import { changeOf, memoryOf } from './memory-records.ts'

/** The state of a memory in a cell of a storage; pinned, it ends with the life that it sees first. */
export class MemoryCell implements StateCell {
  readonly #cell: Cell
  readonly #pinned: boolean
  #life: string | undefined

  constructor(cell: Cell, pinned = false) {
    this.#cell = cell
    this.#pinned = pinned
  }

  read(): Promise<MemoryState> {
    return this.#cell.read((state) => {
      this.#check(state)
      return memoryOf(state.records).state
    })
  }

  async commit(
    change: (current: () => MemoryState) => MemoryChange,
    options?: CommitOptions,
  ): Promise<void> {
    await this.#cell.commit(
      (state) => {
        this.#check(state)
        const next = change(() => memoryOf(state.records).state)
        return next && changeOf(state, next)
      },
      this.#pinned ? { ...options, committed: (life) => this.#committed(life, options) } : options,
    )
  }

  #committed(life: string | undefined, options: CommitOptions | undefined): void {
    this.#life ??= life
    options?.committed?.(life)
  }

  #check({ life }: CellState): void {
    if (!this.#pinned) return
    this.#life ??= life
    if (life === this.#life) return
    throw new HoldfastError(
      'CONFLICT',
      `The memory of ${JSON.stringify(this.#cell.id)} was deleted meanwhile; open it, or its session, anew.`,
      { outcome: 'not-committed' },
    )
  }
}
