import type { BrokenAgent } from './broken-agent.ts'
import { brokenLoopPrompts } from './loop-prompts.ts'
import { brokenLoops } from './loops.ts'

export type { BrokenAgent } from './broken-agent.ts'

/** Every deliberately broken agent. */
export const brokenAgents: readonly BrokenAgent[] = [...brokenLoops, ...brokenLoopPrompts]
