import type { AgentMemory, Persistent } from '../contracts/agent-memory.ts'
import { HoldfastError } from '../errors.ts'

/** Tells a run that its memory was deleted meanwhile. */
export interface LifeWatch {
  /** Says that the run has stored something, so that from here on there is a life to compare with. */
  stored(): void
  /** `CONFLICT` if the memory was deleted since the run began. A memory without lives always passes. */
  check(): Promise<void>
}

/** Watches the life of `memory` for the length of one run; the first `check` says what to compare with. */
export function watchLife(memory: AgentMemory & Partial<Persistent>): LifeWatch {
  let known: string | undefined
  let wrote = false
  return {
    stored() {
      wrote = true
    },
    async check() {
      if (!memory.life) return
      const life = await memory.life()
      // An empty memory has no life yet: the run's own first write begins one.
      if (known === undefined ? wrote && life === undefined : life !== known) {
        throw new HoldfastError(
          'CONFLICT',
          'The memory was deleted during the run; start a new one.',
        )
      }
      known = life
    },
  }
}
