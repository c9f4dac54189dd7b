import type { MemoryCase } from './memory-case.ts'

export type { MemoryCase } from './memory-case.ts'
export type {
  MemoryAbilities,
  MemoryHarness,
  OpenOptions,
  TestedMemory,
} from './memory-harness.ts'

/** Every rule of an agent memory, by topic. */
export const agentMemoryCases: readonly MemoryCase[] = []
