import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { MemoryCompressor } from '../contracts/memory-compressor.ts'
import { invalid, show } from '../errors.ts'

/** Keeps exactly the last `maxItems` items and touches nothing else (RULE windowing). */
export class WindowedMemoryCompressor implements MemoryCompressor {
  /** How many items stay. */
  readonly maxItems: number

  /** `maxItems`: a whole number of at least 1, else `INVALID_ARGUMENT`. */
  constructor(maxItems: number) {
    if (!Number.isSafeInteger(maxItems) || maxItems < 1) {
      throw invalid(`maxItems must be a whole number of at least 1, got ${show(maxItems)}.`)
    }
    this.maxItems = maxItems
  }

  /** The same snapshot with its last `maxItems` items. */
  compress(snapshot: MemorySnapshot): MemorySnapshot {
    return { ...snapshot, items: snapshot.items.slice(-this.maxItems) }
  }
}
