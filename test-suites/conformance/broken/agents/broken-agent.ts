import type { AgentHarness, AgentRequest } from '../../src/agent/index.ts'
import { PlainLoop } from './plain-loop.ts'

/** An agent with one fault, and the case that must reject it. */
export interface BrokenAgent {
  /** What is wrong, in words. */
  readonly fault: string
  /** Id of the case named for it. */
  readonly rejectedBy: string
  harness(): AgentHarness
}

type Made = new (request: AgentRequest) => PlainLoop

export const plainAgent = (Loop: Made = PlainLoop): AgentHarness => ({
  run: (request) => new Loop(request).run(),
})

/** A fault of the loop. */
export const broken = (fault: string, rejectedBy: string, Loop: Made): BrokenAgent => ({
  fault,
  rejectedBy: `agent-${rejectedBy}`,
  harness: () => plainAgent(Loop),
})
