import type { AgentPrompt, ModelClient } from '@holdfast/core'
import { cutStream, isRecord, recordsOf } from '@holdfast/core/model-client'
import { messageOf, resultOf } from './chat-answer.ts'
import { type ChatMessage, chatMessages } from './chat-messages.ts'
import { ChatStream } from './chat-stream.ts'
import {
  type Create,
  checkClient,
  type OpenAIRequestOptions,
  request,
  requestEvents,
} from './client.ts'
import { reported, throwAnswered, unreadable } from './failure.ts'
import { functionTool } from './function-tool.ts'

/** What is used of an OpenAI client. */
export interface OpenAIChatClient {
  /** The SDK’s own path to `create`. */
  readonly chat: {
    readonly completions: {
      create(body: object, options: OpenAIRequestOptions): PromiseLike<unknown>
    }
  }
}

/** What an endpoint takes, where endpoints differ. */
export interface OpenAIChatOptions {
  /** Hold tool arguments to their schema, where the endpoint can. Default false. */
  readonly strictTools?: boolean
  /** Likewise for the final answer of an agent with an output schema. Default false. */
  readonly strictOutput?: boolean
  /** The role of the instructions. Default `system`, which every endpoint knows. */
  readonly instructionsRole?: 'system' | 'developer'
  /**
   * Whether reasoning that an endpoint sent as `reasoning_content` or `reasoning` goes back to it, in the
   * same property. Default `keep`; `omit` for an endpoint that refuses it.
   */
  readonly reasoning?: 'keep' | 'omit'
  /** Ask a streaming endpoint for its token counts. Default true; false for one that refuses `stream_options`. */
  readonly streamUsage?: boolean
}

/**
 * A model client over Chat Completions: OpenAI's own and any endpoint that speaks it. `client` is yours,
 * `new OpenAI({ baseURL, apiKey })` for example. Memory holds items of the Responses shape; they become
 * messages and back, with what the endpoint adds to its messages.
 *
 * A failed call rejects with a `ModelRequestError`, an aborted one with the signal's reason.
 * `INVALID_ARGUMENT` where `client` has no `chat.completions.create`, and for input that Chat Completions
 * cannot carry (an image by file id, a file by URL).
 */
export function openaiChat(client: OpenAIChatClient, options: OpenAIChatOptions = {}): ModelClient {
  const completions = client?.chat?.completions
  checkClient('openaiChat', completions?.create, 'chat.completions.create')
  const create: Create = (body, how) => completions.create(body, how)
  return {
    async create(prompt, { signal } = {}) {
      const completion = await request(create, bodyOf(prompt, options, false), signal)
      if (!isRecord(completion)) throw unreadable('completion', completion)
      throwAnswered(completion)
      const choice = recordsOf(completion['choices'])[0]
      if (choice?.['finish_reason'] === 'error') throw reported(Object(choice['error']), completion)
      if (!isRecord(choice?.['message'])) throw unreadable('message', completion)
      const message = messageOf(choice['message'])
      return resultOf(message, completion['usage'], choice['finish_reason'])
    },
    async *stream(prompt, { signal } = {}) {
      const answer = new ChatStream()
      try {
        for await (const chunk of requestEvents(create, bodyOf(prompt, options, true), signal)) {
          yield* answer.add(chunk)
        }
      } catch (error) {
        // What breaks behind the whole answer takes nothing from it.
        if (!answer.complete || signal?.aborted) throw error
      }
      if (!answer.complete) throw cutStream()
      yield { type: 'result', result: answer.result() }
    },
  }
}

function bodyOf(prompt: AgentPrompt, options: OpenAIChatOptions, stream: boolean): object {
  const { model, instructions, items, outputSchema, settings = {} } = prompt
  const { strictTools, strictOutput, instructionsRole = 'system', reasoning, streamUsage } = options
  const tools = [
    ...prompt.tools.map((tool) => ({
      type: 'function',
      // Said only where it is asked for: not every endpoint knows the word.
      function: { ...functionTool(tool), ...(strictTools && { strict: true }) },
    })),
    ...recordsOf(settings['tools']),
  ]
  const schema = outputSchema && {
    name: 'output',
    schema: outputSchema,
    ...(strictOutput && { strict: true }),
  }
  const first: ChatMessage[] = instructions
    ? [{ role: instructionsRole, content: instructions }]
    : []
  return {
    ...(schema && { response_format: { type: 'json_schema', json_schema: schema } }),
    ...(stream && streamUsage !== false && { stream_options: { include_usage: true } }),
    ...settings,
    model,
    messages: [...first, ...chatMessages(items, reasoning !== 'omit')],
    tools: tools.length > 0 ? tools : undefined,
    stream,
  }
}
