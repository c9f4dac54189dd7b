import type { DurableAgentMemory, MemorySnapshot } from '@holdfast/core'

/** Puts a compressor's result over whatever is there by now. */
export const overwrite = (memory: DurableAgentMemory, result: MemorySnapshot) =>
  memory.restore(result)

/** Cuts off as many items as the compressor saw, whatever they are now. */
export const cutByCount = (
  memory: DurableAgentMemory,
  seen: MemorySnapshot,
  result: MemorySnapshot,
) =>
  memory.update(({ items }) => ({
    ...result,
    items: [...result.items, ...items.slice(seen.items.length)],
  }))
