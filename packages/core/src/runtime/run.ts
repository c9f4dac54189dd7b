import type { AbortWatch } from '../abort.ts'
import type { RunHost, RunOptions, RunPlace } from '../contracts/agent-runtime.ts'
import type { CompactPolicy, ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentPrompt, ModelClient, Usage } from '../contracts/model-client.ts'
import type { AgentHooks, HookInfo } from './hooks.ts'
import type { CompiledParameters } from './parameters.ts'
import type { Tool } from './tools.ts'

/** What `instructions` may be: a text, or a function that makes one for each step. */
export type Instructions =
  | string
  | ((info: HookInfo) => string | undefined | Promise<string | undefined>)

/** What every run of one agent shares; checked by `createAgent`. */
export interface RuntimeConfig {
  readonly modelClient: ModelClient
  /** What every prompt says; each call gets its own copy, with the items. */
  readonly prompt: Omit<AgentPrompt, 'items'>
  readonly instructions: Instructions | undefined
  readonly tools: ReadonlyMap<string, Tool>
  readonly output: CompiledParameters | undefined
  readonly projector: ContextProjector
  readonly budget: ContextBudget
  readonly compactPolicy: CompactPolicy | undefined
  readonly hooks: readonly AgentHooks[]
  readonly modelRetries: number
  readonly maxSteps: number
  readonly timeoutMs: number | undefined
  readonly maxTokens: number | undefined
}

/** What was done so far. */
export interface Done {
  text: string
  steps: number
  readonly usage: { -readonly [Key in keyof Usage]: Usage[Key] }
}

/** One run while it goes on. */
export interface Run {
  readonly config: RuntimeConfig
  readonly host: RunHost
  readonly options: RunOptions
  readonly abort: AbortWatch
  readonly runId: string
  readonly done: Done
}

export const placeOf = ({ runId }: Run, step?: number): RunPlace =>
  step === undefined ? { runId } : { runId, step }

export const infoOf = ({ host, options }: Run, step: number): HookInfo => ({
  sessionId: host.sessionId,
  step,
  context: options.context,
})
