import { type BoundCase, prepare } from '../case.ts'
import type { AgentHarness } from './agent-harness.ts'
import { agentCases } from './cases.ts'

export interface AgentSuite {
  readonly cases: readonly BoundCase[]
}

/** Every agent case, bound to `harness`. */
export function agentSuite(harness: AgentHarness): AgentSuite {
  const cases = prepare(
    'agent',
    agentCases,
    () => harness,
    ({ applies }) => {
      const answer = applies?.(harness) ?? true
      return answer === true ? undefined : answer
    },
  )
  return { cases }
}
