export type { CompactLimits } from './compaction/compact-limits.ts'
export { compressorOf } from './compaction/compressor-of.ts'
export { DefaultContextProjector } from './compaction/default-context-projector.ts'
export type { LlmCompactOptions } from './compaction/llm-compact-policy.ts'
export { LlmCompactPolicy } from './compaction/llm-compact-policy.ts'
export { StructuredCompactPolicy } from './compaction/structured-compact-policy.ts'
export { TypeAwareContextProjector } from './compaction/type-aware-context-projector.ts'
export type * from './contracts/agent-memory.ts'
export type * from './contracts/agent-runtime.ts'
export type * from './contracts/agent-session-store.ts'
export type * from './contracts/compaction.ts'
export type * from './contracts/events.ts'
export type { AgentItem, JsonObject, JsonValue } from './contracts/item.ts'
export { functionCallOutput, systemMessage, userMessage } from './contracts/item.ts'
export type * from './contracts/memory-compressor.ts'
export type * from './contracts/model-client.ts'
export type * from './driver.ts'
export type { Encryption } from './encryption.ts'
export type { HoldfastErrorCode, HoldfastErrorDetails, WriteOutcome } from './errors.ts'
export { HoldfastError } from './errors.ts'
export type { FilledCall } from './memory/call-items.ts'
export { InMemoryAgentMemory } from './memory/in-memory-agent-memory.ts'
export { WindowedMemoryCompressor } from './memory/windowed-memory-compressor.ts'
export type {
  Agent,
  AgentRunOptions,
  AgentRunRequest,
  Executor,
  NewSessionOptions,
} from './runtime/agent.ts'
export { createAgent } from './runtime/agent.ts'
export type { AgentOptions } from './runtime/agent-options.ts'
export type { AgentToolOptions } from './runtime/agent-tool.ts'
export type { AgentHooks, HookAnswer, HookInfo } from './runtime/hooks.ts'
export type { ArgumentsOf, StandardParameters, ToolParameters } from './runtime/parameters.ts'
export type { Instructions } from './runtime/run.ts'
export type {
  ScriptedCall,
  ScriptedModel,
  ScriptedStep,
  ScriptedTurn,
} from './runtime/scripted-model.ts'
export { scriptedModel } from './runtime/scripted-model.ts'
export type { ToolContent } from './runtime/tool-output.ts'
export { content } from './runtime/tool-output.ts'
export type { Tool, ToolContext, ToolOptions } from './runtime/tools.ts'
export { tool } from './runtime/tools.ts'
export type { AgentSession, SessionMemory } from './sessions/agent-session.ts'
export type { AutosaveMode } from './sessions/autosave.ts'
export { InMemoryAgentSessionStore } from './sessions/in-memory-agent-session-store.ts'
export type { SessionEventLog } from './sessions/session-event-log.ts'
export type { FoldOptions, TranscriptEntry } from './sessions/session-event-projector.ts'
export { SessionEventProjector } from './sessions/session-event-projector.ts'
export { SessionLogReader } from './sessions/session-log-reader.ts'
export type { PageQuery } from './storage/cell-set.ts'
export { copySession, type SessionCopy } from './storage/copy-session.ts'
export type { DurableAgentMemory } from './storage/durable-agent-memory.ts'
export type { DurableSessionStore } from './storage/durable-session-store.ts'
export { MemoryDriver } from './storage/memory-driver.ts'
export {
  createStorage,
  type MemoryList,
  type MemoryOptions,
  type MemorySummary,
  type Storage,
  type StorageOptions,
  type StorageScope,
} from './storage/storage.ts'
export type { StorageSettings } from './storage/storage-options.ts'
