import { describe, it } from 'vitest'
import { plainAgent } from '../broken/agents/broken-agent.ts'
import { brokenAgents } from '../broken/agents/index.ts'
import { agentCases, randomSessionsCase } from '../src/agent/index.ts'
import { describeBroken } from './support/describe-broken.ts'

const SEED = 20_241
const cases = [...agentCases, randomSessionsCase(SEED)]

describe('the loop that the broken ones are made from', () => {
  const harness = plainAgent()
  for (const current of cases) {
    if ((current.applies?.(harness) ?? true) !== true) continue
    it(`passes ${current.id}`, () => current.run(harness))
  }
})

describeBroken('agent', cases, brokenAgents)
