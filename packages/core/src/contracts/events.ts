import type { JsonValue } from './item.ts'

/** What can happen in a session. The first six are changes of memory; folding them gives its snapshot. */
export type AgentEventType =
  | 'USER_INPUT'
  | 'MEMORY_ITEMS_APPENDED'
  | 'TOOL_RESULT'
  | 'TOOL_OUTPUT_REPLACED'
  | 'MEMORY_COMPRESS'
  | 'SESSION_RESTORED'
  | 'STEP_START'
  | 'MODEL_REQUEST'
  | 'MODEL_RETRY'
  | 'MODEL_RESPONSE'
  | 'TOOL_CALL'
  | 'INTERRUPTED'
  | 'ANSWERED'
  | 'FINAL_OUTPUT'
  | 'STEP_END'
  | 'ERROR'

/** One fact about what the runtime did. Reserved: the runtime publishes none yet. */
export interface AgentEvent {
  /** Grows strictly within a session, across resumes too. */
  readonly sequence: number
  readonly type: AgentEventType
  /** Epoch ms; order never depends on it. */
  readonly at: number
  /** The run that it belongs to, if any. */
  readonly runId?: string
  /** The step of that run, from 0. */
  readonly step?: number
  readonly payload: JsonValue
}
