import type { AgentMemory } from './agent-memory.ts'
import type { AgentItem } from './item.ts'
import type { Usage } from './model-client.ts'

/** What an agent can be told: text, an item, items, or `null` to go on without new input. */
export type AgentInput = string | AgentItem | readonly AgentItem[] | null | undefined

export interface RunOptions {
  /** Ends the run with `ABORTED`; every unfinished call gets an output first. */
  readonly signal?: AbortSignal
  /** Most model calls of one run. Default 50. One more is `LIMIT_EXCEEDED`. */
  readonly maxSteps?: number
  /** Handed to tools as `context.context`, unread. */
  readonly context?: unknown
}

/** A call that waits for somebody outside. */
export interface PendingCall {
  readonly callId: string
  readonly name: string
  readonly arguments: string
  /** `unknown`: it was running when the process ended. */
  readonly state: 'waiting' | 'unknown'
  readonly request?: unknown
}

export interface AgentResult {
  /** `interrupted`: the run waits for the calls in `interruptions`. Reserved: every result is `completed` yet. */
  readonly status: 'completed' | 'interrupted'
  /** The text of the last model answer. */
  readonly text: string
  /** The answer parsed by the output schema, where one was given. */
  readonly output?: unknown
  /** How many model calls were made. */
  readonly steps: number
  /** Sums over the steps; 0 where the client reports none. */
  readonly usage: Usage
  /** Calls that wait for somebody outside; none in a completed run. */
  readonly interruptions: PendingCall[]
}

/** The loop that a session runs its input through. */
export interface AgentRuntime {
  /** `sessionId` is what tools see as `context.sessionId`; a one-off run has none. */
  run(
    memory: AgentMemory,
    input: AgentInput,
    options: RunOptions,
    sessionId?: string,
  ): Promise<AgentResult>
}
