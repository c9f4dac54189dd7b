import type {
  AgentMemory,
  CompressorCapable,
  MemoryCompressor,
  Persistent,
  SnapshotCapable,
} from '@holdfast/core'

/** A memory under test: the contract, and whatever it may add. */
export type TestedMemory = AgentMemory & Partial<SnapshotCapable & CompressorCapable & Persistent>

/** What a memory says of itself. It decides which cases apply; a case that does not apply is never run. */
export interface MemoryAbilities {
  /** It outlives the process: two memories with one id share one state, and it is `Persistent`. */
  readonly persistent: boolean
  /**
   * `lazy`: `setCompressor` acts at the next add. `eager`: it rewrites the stored state at once.
   * `none`: the memory takes no compressor, neither when it is opened nor later.
   */
  readonly swap: 'lazy' | 'eager' | 'none'
  /** It is `SnapshotCapable`. */
  readonly snapshot: boolean
}

/** What a memory is opened with. */
export interface OpenOptions {
  /** To run on its write path. */
  readonly compressor?: MemoryCompressor
}

/** What a memory case works on. */
export interface MemoryHarness {
  /** What the memory says of itself. */
  readonly abilities: MemoryAbilities
  /** The memory of `id`, in the first process. A memory that is not persistent starts empty. */
  open(id: string, options?: OpenOptions): Promise<TestedMemory>
  /** The memory of `id` in a second process over the same storage. Persistent memories only. */
  reopen(id: string, options?: OpenOptions): Promise<TestedMemory>
  /** An id that nobody used before: at most 40 ASCII letters, digits and hyphens. */
  newId(): string
}
