import type { JsonObject } from './item.ts'

/**
 * What can happen in a session. The first six change memory, and folding them in order gives its snapshot
 * (`SessionEventProjector`). Payloads are JSON objects:
 *
 * | type | payload |
 * | --- | --- |
 * | `USER_INPUT` | `{ items }` |
 * | `MEMORY_ITEMS_APPENDED` | `{ items }` |
 * | `TOOL_RESULT` | `{ callId, name, output, ok, error? }` |
 * | `TOOL_OUTPUT_REPLACED` | `{ callId, output }` |
 * | `MEMORY_COMPRESS` | a `CompactResult` (it has `memory`); or `{ report }` of a projection, which changes nothing |
 * | `SESSION_RESTORED` | `{ reason, items, summary? }`, and `calls` with reason `trim`: how far calls had come, by id; or `{ reason, unchanged: true }` where the fold is that already |
 * | `STEP_START` | `{}` |
 * | `MODEL_REQUEST` | `{ model, items, tools }`: the name and two counts, never the prompt |
 * | `MODEL_RETRY` | `{ attempt, delayMs, error }` |
 * | `MODEL_RESPONSE` | `{ usage?, finishReason?, calls }` |
 * | `TOOL_CALL` | `{ callId, name, arguments }`: it starts now |
 * | `INTERRUPTED` | `{ callId, name, request? }`: it waits for somebody outside |
 * | `ANSWERED` | `{ callId, answer }`, the answer that `session.answer` got, redacted |
 * | `FINAL_OUTPUT` | `{ text, output? }` |
 * | `STEP_END` | `{ calls }` |
 * | `ERROR` | `{ code, message, during }`; with `callId` and `name` where it is about a result that came after the abort |
 *
 * Where `redact` fails on the payload of an event that changes no memory, `{ callId?, redacted }` is recorded
 * in its place: the call's id, and the name of the failure.
 */
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

/** One fact about what the runtime did. */
export interface AgentEvent {
  /** From 1; grows strictly within a session, across resumes too. */
  readonly sequence: number
  /** What happened; it says what the payload holds. */
  readonly type: AgentEventType
  /** Epoch ms; order never depends on it. */
  readonly at: number
  /** The run that it belongs to, if any. */
  readonly runId?: string
  /** The step of that run, from 0. */
  readonly step?: number
  /** JSON made of whatever it records, by `toJson`'s lossy rule. */
  readonly payload: JsonObject
}

/**
 * Is told each event after it was recorded; for tracing and displays. What it throws, and what it answers,
 * changes nothing: the first failure of each listener is recorded as an `ERROR` with `during: 'listener'`.
 */
export type AgentEventListener = (
  event: AgentEvent,
  about: { readonly sessionId: string | undefined },
) => void

/**
 * Takes secrets out of what is about to be stored. It gets its own copy of an item (`USER_INPUT`,
 * `MEMORY_ITEMS_APPENDED`, and a `function_call_output` for `TOOL_RESULT`), of `{ summary }`, or of the payload
 * of an event, and answers what to keep in its place: memory and event get the same. It runs before the
 * memory write and must be synchronous. Types and call ids stay as they are, whatever it answers; what is
 * no object, or a throw, refuses the write with `INVALID_ARGUMENT`.
 */
export type Redact = (value: JsonObject, type: AgentEventType) => JsonObject
