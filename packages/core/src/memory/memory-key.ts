import type { AgentMemory, Persistent } from '../contracts/agent-memory.ts'

/** The object that stands for what `memory` is stored in: two handles of one stored memory share it. */
export function memoryKey(memory: AgentMemory & Partial<Persistent>): object {
  const { identity } = memory
  return typeof identity === 'object' && identity !== null ? identity : memory
}
