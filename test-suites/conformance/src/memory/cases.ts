import { abilityCases } from './abilities.ts'
import { aliasingCases } from './aliasing.ts'
import { compressionCases } from './compression.ts'
import { concurrencyCases } from './concurrency.ts'
import { deletionCases } from './deletion.ts'
import { failingCompressorCases } from './failing-compressor.ts'
import { inputCases } from './inputs.ts'
import { isolationCases } from './isolation.ts'
import { keptValueCases } from './kept-values.ts'
import type { MemoryCase } from './memory-case.ts'
import { orderCases } from './order.ts'
import { persistenceCases } from './persistence.ts'
import { refusedValueCases } from './refused-values.ts'
import { slowCompressorCases } from './slow-compressor.ts'
import { stateCases } from './state.ts'
import { summaryCases } from './summary.ts'
import { swapCases } from './swap.ts'
import { windowingCases } from './windowing.ts'

/** Every rule of an agent memory, by topic. */
export const agentMemoryCases: readonly MemoryCase[] = [
  ...abilityCases,
  ...summaryCases,
  ...inputCases,
  ...stateCases,
  ...orderCases,
  ...aliasingCases,
  ...refusedValueCases,
  ...keptValueCases,
  ...compressionCases,
  ...failingCompressorCases,
  ...slowCompressorCases,
  ...swapCases,
  ...windowingCases,
  ...isolationCases,
  ...persistenceCases,
  ...deletionCases,
  ...concurrencyCases,
]
