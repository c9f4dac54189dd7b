import type { AgentCase } from './agent-harness.ts'
import { callCases } from './calls.ts'
import { compactionCases } from './compactions.ts'
import { endingCases } from './endings.ts'
import { failureCases } from './failures.ts'
import { historyCases } from './histories.ts'
import { interruptionCases } from './interruptions.ts'
import { orderCases } from './order.ts'
import { promptCases } from './prompts.ts'
import { resumingCases } from './resuming.ts'

/** Every rule of an agent, by topic: first its loop alone, then its sessions. */
export const agentCases: readonly AgentCase[] = [
  ...orderCases,
  ...callCases,
  ...promptCases,
  ...failureCases,
  ...resumingCases,
  ...historyCases,
  ...interruptionCases,
  ...endingCases,
  ...compactionCases,
]
