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
export { InMemoryAgentMemory } from './memory/in-memory-agent-memory.ts'
export { WindowedMemoryCompressor } from './memory/windowed-memory-compressor.ts'
export type { Agent, AgentOptions, AgentRunOptions } from './runtime/agent.ts'
export { createAgent } from './runtime/agent.ts'
export type { ArgumentsOf, StandardParameters, ToolParameters } from './runtime/parameters.ts'
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
export type { AgentSession } from './sessions/agent-session.ts'
export { InMemoryAgentSessionStore } from './sessions/in-memory-agent-session-store.ts'
export type { FoldOptions, TranscriptEntry } from './sessions/session-event-projector.ts'
export { SessionEventProjector } from './sessions/session-event-projector.ts'
export type { DurableAgentMemory } from './storage/durable-agent-memory.ts'
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
