import type { ModelClient, ToolCall } from '@holdfast/core'

/** Told of each tool call, before it starts. */
export type Announce = (call: ToolCall) => void

/** A model whose tool calls are shown while they run; works with any client. */
export const announcing = (client: ModelClient, announce: Announce): ModelClient => ({
  async create(prompt, options) {
    const result = await client.create(prompt, options)
    result.toolCalls.forEach(announce)
    return result
  },
})
