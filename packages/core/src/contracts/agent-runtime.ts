import type { AgentMemory, MemorySnapshot } from './agent-memory.ts'
import type { CompactPolicy, CompactResult } from './compaction.ts'
import type { AgentEvent, AgentEventType } from './events.ts'
import type { AgentItem, JsonObject, JsonValue } from './item.ts'
import type { Usage } from './model-client.ts'

/** What an agent can be told: text, an item, items, or `null` to go on without new input. */
export type AgentInput = string | AgentItem | readonly AgentItem[] | null | undefined

/** What one run is told beside its input. Limits given here go before those of the agent. */
export interface RunOptions {
  /** Ends the run with `ABORTED`; every unfinished call gets an output first. */
  readonly signal?: AbortSignal | undefined
  /** Most model calls of one run. Default 50. One more is `LIMIT_EXCEEDED` with `limit: 'steps'`. */
  readonly maxSteps?: number | undefined
  /** Longest time of one run, in ms. Default: none. Then as an abort, but `LIMIT_EXCEEDED` with `limit: 'time'`. */
  readonly timeoutMs?: number | undefined
  /** No model call starts once this many tokens are used: `LIMIT_EXCEEDED` with `limit: 'tokens'`. Default: none. */
  readonly maxTokens?: number | undefined
  /** Handed to tools, hooks and `instructions` as `context`, unread. */
  readonly context?: unknown
  /**
   * What new input does to calls that still wait for an output: `error` (default) refuses it with
   * `PENDING_CALLS`, `close` stores an 'abandoned' output for each.
   */
  readonly onPending?: 'error' | 'close' | undefined
}

/** A call without an output. */
export interface PendingCall {
  /** The id under which memory holds the call: what `session.answer` takes. */
  readonly callId: string
  /** The tool’s. */
  readonly name: string
  /** JSON text, as the model sent it. */
  readonly arguments: string
  /** `waiting`: for an approval, or for an answer to `request`. `unknown`: it was running when the process ended. */
  readonly state: 'waiting' | 'unknown'
  /** What the tool asked by `context.ask`; absent where an approval is waited for. */
  readonly request?: JsonValue
}

/**
 * What somebody outside says to a pending call. `approve`: run it; a tool that asked gets `true`. `reply`: run
 * it from its top, and `context.ask` answers this value. `reject`, `output`: it does not run, and this is its
 * output. `rerun`: run it, again perhaps.
 */
export type CallAnswer =
  | { readonly approve: true }
  | { readonly reply: JsonValue }
  | { readonly reject: string }
  | { readonly output: string | readonly AgentItem[] }
  | { readonly rerun: true }

/** How a run ended. One that failed rejects instead. */
export interface AgentResult {
  /** `interrupted`: the run waits for the calls in `interruptions`; answer them and go on with `run(null)`. */
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

/** A piece of the model's answer while it is made; never recorded. */
export interface AgentDelta {
  /** Whether it belongs to the answer’s text or to the model’s reasoning. */
  readonly type: 'TEXT_DELTA' | 'REASONING_DELTA'
  /** The piece itself; the pieces of a step put together are the text. */
  readonly text: string
  /** The step of the run, from 0. */
  readonly step: number
}

/**
 * A run while it goes on. Its parts are the run's events and the pieces of the model's answers, in order;
 * the iteration throws what the run throws. Leaving the loop early aborts the run and waits for its end.
 */
export interface AgentStream extends AsyncIterable<AgentEvent | AgentDelta> {
  /** The answers' text, piece by piece. Leaving it early aborts the run, too. */
  readonly textStream: AsyncIterable<string>
  /** What `run` would answer. It settles also where nobody iterates; its rejection needs no handler. */
  readonly result: Promise<AgentResult>
}

/** Where an event belongs. */
export interface RunPlace {
  /** A random UUID for each run. */
  readonly runId?: string
  /** The step of that run, from 0; absent before the first and between runs. */
  readonly step?: number
}

/** How far a call without an output has come. */
export interface CallState {
  /** `answered`: it may run, by `approve`, `reply` or `rerun`, and has not begun to. */
  readonly state: 'waiting' | 'unknown' | 'answered'
  /** What the tool asked by `context.ask`, while it waits for the reply. */
  readonly request?: JsonValue
  /** True once somebody approved it. */
  readonly approved: boolean
  /** What `context.ask` answers, in the order of its calls. */
  readonly replies: readonly JsonValue[]
}

/** When a session may have to save: see `autosave`. */
export type SavePoint = 'input' | 'claim' | 'tool' | 'output' | 'step'

/** What one run works on: it writes memory and records events through this alone. */
export interface RunHost {
  /** `undefined` in a one-off run. */
  readonly sessionId: string | undefined
  /** For reading. */
  readonly memory: AgentMemory
  /** The object that stands for what the memory is stored in. */
  readonly key: object
  /** Stores input and records `USER_INPUT`. */
  addUserInput(items: readonly AgentItem[], place: RunPlace): Promise<void>
  /** Stores what the model answered, in one append, and records `MEMORY_ITEMS_APPENDED`. */
  addOutputItems(items: readonly AgentItem[], place: RunPlace): Promise<void>
  /** Stores the output of a call and records `TOOL_RESULT`. */
  addToolOutput(
    call: { readonly callId: string; readonly name: string },
    output: string | readonly AgentItem[],
    about: { readonly ok: boolean; readonly error?: string | undefined },
    place: RunPlace,
  ): Promise<void>
  /** Lets `policy` shorten what is finished; `undefined` where there was nothing to shorten. */
  compact(
    policy: CompactPolicy,
    options: { readonly signal?: AbortSignal | undefined },
    place: RunPlace,
  ): Promise<CompactResult | undefined>
  /** Items and summary as stored. */
  snapshot(): Promise<MemorySnapshot>
  /** Records an event that changes no memory. */
  publish(type: AgentEventType, payload: JsonObject, place: RunPlace): void
  /** What the log knows of the call; nothing where it was never heard of. */
  callState(callId: string): CallState
  /** Waits for a save where the session's mode asks for one; throws once another writer was faster. */
  saved(point: SavePoint): Promise<void>
  /** Shows a piece of the answer; absent where nobody looks. */
  readonly onDelta?: ((delta: AgentDelta) => void) | undefined
}

/** The loop that a session runs its input through. */
export interface AgentRuntime {
  /**
   * Stores `input` and goes on until the model makes no more calls; see `AgentSession.run` for the errors.
   */
  run(host: RunHost, input: AgentInput, options: RunOptions): Promise<AgentResult>
}
