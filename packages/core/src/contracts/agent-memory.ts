import type { AgentItem } from './item.ts'
import type { MemoryCompressor } from './memory-compressor.ts'

/** A plain, detached copy of a memory. */
export interface MemorySnapshot {
  /** In the order in which they were written; without the summary’s message. */
  readonly items: readonly AgentItem[]
  /** Text standing in for items that were compacted away. */
  readonly summary?: string | undefined
}

/**
 * What the *next* model call sees: a summary and items. The state source of the agent loop, not a
 * transcript. What goes in is copied, what comes out is the caller's own.
 *
 * Errors of every method: `NOT_SERIALIZABLE` (a value that JSON cannot carry, with its path) and
 * `INVALID_ARGUMENT`, both before anything is written; `COMPRESSION_FAILED` with
 * `outcome: 'committed'` where the add was stored but its compressor failed.
 */
export interface AgentMemory {
  /** Adds user input. Text becomes a user message (`''` an empty one); `null` and `undefined` do nothing. */
  addUserInput(input: string | AgentItem | readonly AgentItem[] | null | undefined): Promise<void>
  /** Adds a model's output items in one atomic append, whatever the mix. `null` and `[]` do nothing. */
  addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void>
  /**
   * Adds a tool's output: text, or content parts. A `null` or `undefined` call id does nothing at all;
   * an empty one is `INVALID_ARGUMENT`.
   */
  addToolOutput(
    callId: string | null | undefined,
    output: string | readonly AgentItem[],
  ): Promise<void>
  /** The items in the order in which they were written, behind one system message if there is a non-blank summary. */
  getItems(): Promise<AgentItem[]>
  /** The summary as it was set, blank or not; `undefined` if there is none. */
  getSummary(): Promise<string | undefined>
  /** Removes items and summary. */
  clear(): Promise<void>
}

/** What a memory may add: reading and changing it as a whole. The loop itself never needs it. */
export interface SnapshotCapable {
  /** Items and summary as stored, without the injected system message. */
  snapshot(): Promise<MemorySnapshot>
  /** Overwrites whatever is there; also an empty snapshot counts as stored from here on. */
  restore(snapshot: MemorySnapshot): Promise<void>
  /**
   * Changes the state atomically and answers the new one. `change` is pure and synchronous: it may run
   * again. What it throws rejects the call as it is, and nothing is written.
   */
  update(change: (current: MemorySnapshot) => MemorySnapshot): Promise<MemorySnapshot>
  /** A blank or absent summary shows nothing to the model. */
  setSummary(summary: string | undefined): Promise<void>
}

/** What a memory may add: a compressor that runs on its write path. */
export interface CompressorCapable {
  /** Sets the compressor, or takes it away. When it acts first is the implementation’s to say. */
  setCompressor(compressor: MemoryCompressor | undefined): Promise<void>
}

/** What a memory that outlives the process adds. */
export interface Persistent {
  /** The same object for the same storage and id. */
  readonly identity: object
  /** Installs `snapshot` only where nothing was ever stored (a deletion counts as stored); answers whether it did. */
  adopt(snapshot: MemorySnapshot): Promise<boolean>
  /** Removes the memory; answers whether there was one. A late write cannot bring it back. */
  delete(): Promise<boolean>
  /**
   * A view of this memory that ends with its present life: once the memory is deleted, each call of the
   * view is `CONFLICT`, also where somebody created the memory anew. `clear` ends no life. Where nothing is
   * stored, the life begins with the view's first write. A run works on such a view.
   */
  pin(): AgentMemory
}
