import type { AgentMemory, MemorySnapshot, SnapshotCapable } from '../contracts/agent-memory.ts'
import { type AgentItem, systemMessage } from '../contracts/item.ts'
import { wrong } from '../errors.ts'
import { type Compression, isPromise, type StateCell } from './compression.ts'
import {
  checkSummary,
  type MemoryState,
  outputTexts,
  snapshotOf,
  stateOf,
  toolOutputTexts,
  userInputTexts,
} from './memory-state.ts'

/** What every memory does, over the cell that holds its state. */
export class BaseMemory implements AgentMemory, SnapshotCapable {
  readonly #cell: StateCell
  readonly #compression: Compression

  constructor(cell: StateCell, compression: Compression) {
    this.#cell = cell
    this.#compression = compression
  }

  async addUserInput(
    input: string | AgentItem | readonly AgentItem[] | null | undefined,
  ): Promise<void> {
    await this.#compression.add(this.#cell, userInputTexts(input))
  }

  async addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void> {
    await this.#compression.add(this.#cell, outputTexts(items))
  }

  async addToolOutput(
    callId: string | null | undefined,
    output: string | readonly AgentItem[],
  ): Promise<void> {
    await this.#compression.add(this.#cell, toolOutputTexts(callId, output))
  }

  /** RULE summary injection: the system message is made here and never stored. */
  async getItems(): Promise<AgentItem[]> {
    const { items, summary } = snapshotOf(await this.#cell.read())
    return summary?.trim() ? [systemMessage(summary), ...items] : [...items]
  }

  async getSummary(): Promise<string | undefined> {
    return (await this.#cell.read()).summary
  }

  async snapshot(): Promise<MemorySnapshot> {
    return snapshotOf(await this.#cell.read())
  }

  async clear(): Promise<void> {
    await this.#cell.commit(() => ({ state: { items: [] } }))
  }

  async restore(snapshot: MemorySnapshot): Promise<void> {
    const state = stateOf(snapshot, 'snapshot')
    await this.#cell.commit(() => ({ state, create: true }))
  }

  async update(change: (current: MemorySnapshot) => MemorySnapshot): Promise<MemorySnapshot> {
    if (typeof change !== 'function') throw wrong('change', 'a function', change)
    let state!: MemoryState
    await this.#cell.commit((current) => {
      const answer: unknown = change(snapshotOf(current()))
      if (isPromise(answer)) {
        // Refused, so nobody waits for it: its rejection must not end the process.
        Promise.resolve(answer).catch(() => {})
        throw wrong('change', 'a synchronous function', answer)
      }
      state = stateOf(answer, 'The answer of change')
      return { state }
    })
    return snapshotOf(state)
  }

  async setSummary(summary: string | undefined): Promise<void> {
    checkSummary(summary)
    await this.#cell.commit((current) => ({ state: { items: current().items, summary } }))
  }
}
