import type { AgentItem, JsonObject } from './item.ts'

/** A JSON Schema document. */
export type JsonSchema = JsonObject

/** What the model is told about a tool. */
export interface ToolDefinition {
  /** The name that the model calls it by. */
  readonly name: string
  /** What it does, for the model to read. */
  readonly description: string
  /** JSON Schema of the arguments; always of an object. */
  readonly parameters: JsonSchema
}

/** Settings handed to the model unread: temperature, reasoning effort, token limits… */
export type ModelSettings = JsonObject

/** Everything one model call needs. */
export interface AgentPrompt {
  /** The model’s name, as the agent was given it. */
  readonly model: string
  /** What the agent is to do; absent where it has none. */
  readonly instructions?: string
  /** What memory holds, the summary in front, made to fit the budget. */
  readonly items: AgentItem[]
  /** The tools that may be called; `[]` for none. */
  readonly tools: ToolDefinition[]
  /** JSON Schema of the final answer's text, where the agent has one. */
  readonly outputSchema?: JsonSchema
  /** The agent’s settings, unread. */
  readonly settings?: ModelSettings
}

/** A tool call as the model made it. */
export interface ToolCall {
  /** Missing and blank ids are filled by the runtime. */
  readonly callId?: string | null
  /** The name of the tool, as the model wrote it. */
  readonly name: string
  /** JSON text of an object. */
  readonly arguments: string
}

/** Tokens used; sums over the steps in an `AgentResult`. */
export interface Usage {
  /** Tokens of the prompts. */
  readonly inputTokens: number
  /** Tokens of the answers. */
  readonly outputTokens: number
  /** As the endpoint counts them; usually the sum of both. */
  readonly totalTokens: number
}

/** A model's answer. */
export interface ModelResult {
  /**
   * What memory keeps of the answer, in order: messages, reasoning, `function_call` items… No output of
   * one of its own calls: the runtime makes those.
   */
  readonly memoryItems: AgentItem[]
  /** One for each `function_call` of `memoryItems`, in the same order. */
  readonly toolCalls: ToolCall[]
  /** The answer's text; `''` if there is none. */
  readonly text: string
  /** Tokens of this call, where the endpoint tells. */
  readonly usage?: Usage
  /** Why the model stopped, in the endpoint's own word. */
  readonly finishReason?: string
}

/** One piece of a streamed answer; the last one carries the result. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'result'; readonly result: ModelResult }

/** What a model client's error may say; the runtime reads it and otherwise goes by `status` and `code`. */
export interface ModelClientErrorDetails {
  /** Whether the same call may work later. */
  readonly retryable?: boolean
  /** How long the endpoint asked to wait, in ms. */
  readonly retryAfterMs?: number
  /** HTTP status. */
  readonly status?: number
}

/**
 * A model. `create` rejects when the call failed (see `ModelClientErrorDetails`); the runtime tries again
 * where that may help and then reports `MODEL_FAILED`. A client makes one request for each call: retries
 * are the runtime's. What it is handed is its own: changing the prompt changes nothing else.
 */
export interface ModelClient {
  /** One answer, in one piece. */
  create(prompt: AgentPrompt, options: { signal?: AbortSignal }): Promise<ModelResult>
  /** Without it, a streamed run shows each answer in one piece. */
  stream?(prompt: AgentPrompt, options: { signal?: AbortSignal }): AsyncIterable<ModelDelta>
}
