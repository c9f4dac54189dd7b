import type { AgentItem, JsonObject } from './item.ts'

/** A JSON Schema document. */
export type JsonSchema = JsonObject

/** What the model is told about a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments; always of an object. */
  readonly parameters: JsonSchema
}

/** Settings handed to the model unread: temperature, reasoning effort, token limits… */
export type ModelSettings = JsonObject

/** Everything one model call needs. */
export interface AgentPrompt {
  readonly model: string
  readonly instructions?: string
  readonly items: AgentItem[]
  readonly tools: ToolDefinition[]
  /** Reserved: the runtime sets none yet. */
  readonly outputSchema?: JsonSchema
  readonly settings?: ModelSettings
}

/** A tool call as the model made it. */
export interface ToolCall {
  /** Missing and blank ids are filled by the runtime. */
  readonly callId?: string | null
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
  readonly usage?: Usage
  /** Why the model stopped, in the endpoint's own word. */
  readonly finishReason?: string
}

/** One piece of a streamed answer; the last one carries the result. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'result'; readonly result: ModelResult }

/**
 * A model. `create` rejects when the call failed; the runtime reports that as `MODEL_FAILED`.
 * What it is handed is its own: changing the prompt changes nothing else.
 */
export interface ModelClient {
  create(prompt: AgentPrompt, options: { signal?: AbortSignal }): Promise<ModelResult>
  /** Reserved: the runtime does not stream yet. */
  stream?(prompt: AgentPrompt, options: { signal?: AbortSignal }): AsyncIterable<ModelDelta>
}
