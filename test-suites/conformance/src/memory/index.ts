export { agentMemoryCases } from './cases.ts'
export type { MemoryCase } from './memory-case.ts'
export type {
  MemoryAbilities,
  MemoryHarness,
  OpenOptions,
  TestedMemory,
} from './memory-harness.ts'
export { randomMemoryCase } from './random-memory.ts'
export {
  type AgentMemoryOptions,
  type AgentMemorySuite,
  type AgentMemorySuiteOptions,
  agentMemorySuite,
  type MemoryConnection,
} from './suite.ts'
export {
  type MemorySupplier,
  type SupplierCase,
  type SupplierHarness,
  supplierCases,
} from './supplier-cases.ts'
export { type TestAgentMemoryAbilities, testAgentMemory } from './test-agent-memory.ts'
export { type MemorySupplierOptions, testMemorySupplier } from './test-memory-supplier.ts'
