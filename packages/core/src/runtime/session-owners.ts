import type { AgentMemory } from '../contracts/agent-memory.ts'
import { HoldfastError, show } from '../errors.ts'
import { memoryKey } from './memory-key.ts'

// Of the module, not of an agent: two agents that share a memory under two ids mix their sessions as well.
const owners = new WeakMap<object, string>()

/** Remembers that session `id` uses `memory`; `SHARED_MEMORY` if another id does, as long as both are reachable. */
export function claimMemory(memory: AgentMemory, id: string): void {
  const key = memoryKey(memory)
  const owner = owners.get(key) ?? id
  if (owner !== id) {
    throw new HoldfastError(
      'SHARED_MEMORY',
      `memorySupplier gave sessions ${show(owner)} and ${show(id)} one memory; return one for each id, as (id) => storage.memory(id) does.`,
    )
  }
  owners.set(key, id)
}
