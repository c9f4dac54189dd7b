import { bindCases, type TestRunner } from '../bind.ts'
import type { Limits } from '../limits.ts'
import type { AgentHarness } from './agent-harness.ts'
import { agentSuite } from './suite.ts'

export interface TestAgentOptions extends AgentHarness {
  /** Rules that the agent is known to break: case id → reason. Each must then really fail. */
  readonly limits?: Limits | undefined
  /** Repeats the random sequence. Default: `HOLDFAST_SEED`, else a new one. */
  readonly seed?: number | undefined
}

/**
 * Registers every agent case with a test runner: the global `describe`/`it`, or `runner`. The cases about
 * sessions run where there is `createAgent`. `INVALID_ARGUMENT` if there is no runner, or if `limits` names
 * an unknown case or a race.
 */
export function testAgent(name: string, options: TestAgentOptions, runner?: TestRunner): void {
  const { cases, seed } = agentSuite(options, options.seed)
  bindCases(`${name} (${cases.length} rules, seed ${seed})`, cases, {
    limits: options.limits,
    runner,
  })
}
