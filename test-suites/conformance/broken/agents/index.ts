import type { BrokenAgent } from './broken-agent.ts'
import { brokenCarelessLoops } from './careless-loops.ts'
import { brokenCompactions } from './compactions.ts'
import { brokenEndings } from './endings.ts'
import { brokenHistories } from './histories.ts'
import { brokenInterruptions } from './interruptions.ts'
import { brokenLoopPrompts } from './loop-prompts.ts'
import { brokenLoops } from './loops.ts'
import { brokenResumes } from './resumes.ts'

export type { BrokenAgent } from './broken-agent.ts'

/** Every deliberately broken agent: loops of their own, and core's behind something that spoils it. */
export const brokenAgents: readonly BrokenAgent[] = [
  ...brokenLoops,
  ...brokenLoopPrompts,
  ...brokenCarelessLoops,
  ...brokenResumes,
  ...brokenHistories,
  ...brokenInterruptions,
  ...brokenEndings,
  ...brokenCompactions,
]
