import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import { HoldfastError, show } from '../errors.ts'
import {
  isEmpty,
  type Memory,
  restoreMemory,
  snapshotOfMemory,
  updateMemory,
} from '../memory/memory-access.ts'

export const sessionExists = (id: string): HoldfastError =>
  new HoldfastError(
    'CONFLICT',
    `Session ${show(id)} exists already; go on with agent.session(id), or take another id.`,
    { outcome: 'not-committed' },
  )

/**
 * RULE a memory that outlives the process wins: the record's memory is installed only where the memory
 * never held anything; one that lives in this process, only where it is empty.
 */
export async function resumeMemory(memory: Memory, snapshot: MemorySnapshot): Promise<void> {
  if (memory.adopt) await memory.adopt(snapshot)
  else if (!isEmpty(snapshot) && isEmpty(await snapshotOfMemory(memory))) {
    await restoreMemory(memory, snapshot)
  }
}

/** Installs a fork under `id`, also where a memory of that id was deleted; `CONFLICT` where there is one. */
export async function forkMemory(
  memory: Memory,
  snapshot: MemorySnapshot,
  id: string,
): Promise<void> {
  if (await memory.adopt?.(snapshot)) return
  const install = (current: MemorySnapshot) => {
    if (!isEmpty(current)) throw sessionExists(id)
    return snapshot
  }
  if (memory.update) await updateMemory(memory, install)
  else await restoreMemory(memory, install(await snapshotOfMemory(memory)))
}
