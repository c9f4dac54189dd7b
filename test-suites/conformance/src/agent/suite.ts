import { type BoundCase, prepare } from '../case.ts'
import { chooseSeed } from '../wrappers/index.ts'
import type { AgentHarness } from './agent-harness.ts'
import { agentCases } from './cases.ts'
import { randomSessionsCase } from './random-sessions.ts'

/** The cases, ready to be run by anything. */
export interface AgentSuite {
  /** Those that do not apply say so by `skip`. */
  readonly cases: readonly BoundCase[]
  /** Of the random sequence. */
  readonly seed: number
}

/** Every agent case, bound to `harness`. `given` repeats the random sequence; default: `HOLDFAST_SEED`, else a new one. */
export function agentSuite(harness: AgentHarness, given?: number): AgentSuite {
  const seed = chooseSeed(given)
  const cases = prepare(
    'agent',
    [...agentCases, randomSessionsCase(seed)],
    () => harness,
    ({ applies }) => {
      const answer = applies?.(harness) ?? true
      return answer === true ? undefined : answer
    },
  )
  return { cases, seed }
}
