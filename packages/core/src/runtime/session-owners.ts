import type { AgentMemory } from '../contracts/agent-memory.ts'
import { HoldfastError, show } from '../errors.ts'
import { memoryKey } from '../memory/memory-key.ts'
import { shared } from './shared.ts'

/** Remembers that session `id` uses `memory`; `SHARED_MEMORY` if another id does, as long as both are reachable. */
export function claimMemory(memory: AgentMemory, id: string): void {
  // Not of one agent: two agents that share a memory under two ids mix their sessions as well.
  const owners = shared('owners', () => new WeakMap<object, string>())
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
