import { bindCases, type TestRunner } from '../bind.ts'
import type { Limits } from '../limits.ts'
import type { MemoryAbilities } from './memory-harness.ts'
import { type AgentMemoryOptions, agentMemorySuite } from './suite.ts'

export interface TestAgentMemoryAbilities extends MemoryAbilities {
  /** Rules that the memory is known to break: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
}

/**
 * Registers every memory case with a test runner: the global `describe`/`it`, or `runner`.
 * `INVALID_ARGUMENT` if there is no runner, or if `limits` names an unknown case or a race.
 */
export function testAgentMemory(
  name: string,
  options: AgentMemoryOptions,
  abilities: TestAgentMemoryAbilities,
  runner?: TestRunner,
): void {
  const { cases, seed, close } = agentMemorySuite({
    connect: () => options.connect(),
    persistent: abilities.persistent,
    swap: abilities.swap,
    snapshot: abilities.snapshot,
  })
  bindCases(`${name} (${cases.length} rules, seed ${seed})`, cases, {
    limits: abilities.limits,
    runner,
    close,
  })
}
