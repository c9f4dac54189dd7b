import type { ConformanceCase } from '../case.ts'
import type { MemoryAbilities, MemoryHarness } from './memory-harness.ts'

/** A case over one memory, and which memories it is for. */
export interface MemoryCase extends ConformanceCase<MemoryHarness> {
  applies(abilities: MemoryAbilities): boolean
}
