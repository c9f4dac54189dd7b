import type { AgentItem, AgentPrompt, ModelClient, ModelResult } from '@holdfast/core'
import { cutStream, isRecord, recordsOf, textOf } from '@holdfast/core/model-client'
import { argumentsText } from './arguments-text.ts'
import {
  type Create,
  checkClient,
  type OpenAIRequestOptions,
  request,
  requestEvents,
} from './client.ts'
import { reported, throwAnswered, unreadable } from './failure.ts'
import { functionTool } from './function-tool.ts'
import { usageOf } from './usage.ts'

/** What is used of an OpenAI client. */
export interface OpenAIResponsesClient {
  /** The SDK’s own path to `create`. */
  readonly responses: {
    create(body: object, options: OpenAIRequestOptions): PromiseLike<unknown>
  }
}

/** What of the agent the endpoint is to enforce. */
export interface OpenAIResponsesOptions {
  /** Hold tool arguments to their schema; the schema must then be of OpenAI's strict subset. Default false. */
  readonly strictTools?: boolean
  /** Likewise for the final answer of an agent with an output schema. Default false. */
  readonly strictOutput?: boolean
}

/**
 * A model client over OpenAI's Responses API. `client` is yours (`new OpenAI()`, or one with another
 * `baseURL`). Items go out and come back as they are, unknown types too. Nothing is kept at OpenAI
 * (`store: false`), and reasoning comes back encrypted, unless the settings say otherwise.
 *
 * A failed call rejects with a `ModelRequestError`, an aborted one with the signal's reason.
 * `INVALID_ARGUMENT` where `client` has no `responses.create`.
 */
export function openaiResponses(
  client: OpenAIResponsesClient,
  options: OpenAIResponsesOptions = {},
): ModelClient {
  const responses = client?.responses
  checkClient('openaiResponses', responses?.create, 'responses.create')
  const create: Create = (body, how) => responses.create(body, how)
  return {
    async create(prompt, { signal } = {}) {
      return resultOf(await request(create, bodyOf(prompt, options, false), signal), [])
    },
    async *stream(prompt, { signal } = {}) {
      const finished: Finished[] = []
      let shown = ''
      let result: ModelResult | undefined
      try {
        for await (const event of requestEvents(create, bodyOf(prompt, options, true), signal)) {
          switch (event['type']) {
            case 'response.output_text.delta':
            case 'response.refusal.delta':
              shown += textOf(event['delta'])
              yield { type: 'text', text: textOf(event['delta']) }
              break
            case 'response.reasoning_summary_text.delta':
            case 'response.reasoning_text.delta':
              yield { type: 'reasoning', text: textOf(event['delta']) }
              break
            case 'response.output_item.done':
              if (isRecord(event['item'])) {
                finished.push({ at: Number(event['output_index'] ?? 0), item: event['item'] })
              }
              break
            case 'error':
              throw reported(event)
            case 'response.completed':
            case 'response.incomplete':
            case 'response.failed':
              result ??= resultOf(event['response'], inOrder(finished))
          }
        }
      } catch (error) {
        // What breaks behind the whole answer takes nothing from it.
        if (!result || signal?.aborted) throw error
      }
      if (!result) throw cutStream()
      // Some endpoints leave out the deltas, of all or of some of the texts.
      const unseen = result.text.startsWith(shown) ? result.text.slice(shown.length) : ''
      if (unseen) yield { type: 'text', text: unseen }
      // At the end of the stream: who leaves it earlier closes a connection that could serve the next call.
      yield { type: 'result', result }
    },
  }
}

/** An item that was streamed, and its place in the output. */
interface Finished {
  readonly at: number
  readonly item: AgentItem
}

/** Items finish in any order. */
const inOrder = (finished: readonly Finished[]): AgentItem[] =>
  finished.toSorted((a, b) => a.at - b.at).map(({ item }) => item)

/** Models that do not reason refuse to be asked for encrypted reasoning. */
const doesNotReason = (model: string): boolean =>
  /(^|[/:])(gpt-3|gpt-4|chatgpt-|gpt-5[\w.]*-chat)/.test(model)

function bodyOf(prompt: AgentPrompt, options: OpenAIResponsesOptions, stream: boolean): object {
  const { model, instructions, items, outputSchema, settings = {} } = prompt
  const tools = [
    ...prompt.tools.map((tool) => ({
      type: 'function',
      ...functionTool(tool),
      strict: options.strictTools ?? false,
    })),
    ...recordsOf(settings['tools']),
  ]
  const format = outputSchema && {
    type: 'json_schema',
    name: 'output',
    schema: outputSchema,
    strict: options.strictOutput ?? false,
  }
  const text = format ? { format, ...Object(settings['text']) } : settings['text']
  return {
    store: false,
    ...(!doesNotReason(model) && { include: ['reasoning.encrypted_content'] }),
    ...settings,
    model,
    ...(instructions !== undefined && { instructions }),
    input: items.flatMap(inputOf),
    tools: tools.length > 0 ? tools : undefined,
    text,
    stream,
  }
}

/**
 * Items of this API as they are. `providerData` is what other clients of Holdfast note on theirs: the API
 * refuses unknown properties, reasoning that is not its own, and the AI SDK's parts.
 */
function inputOf(item: AgentItem): AgentItem[] {
  if (!('providerData' in item)) return [item]
  if (item.type === 'reasoning' || item.type === 'provider_part') return []
  const { providerData: _, ...own } = item
  // A message of notes alone.
  if (Array.isArray(own['content']) && own['content'].length === 0) return []
  return [own]
}

function resultOf(response: unknown, finished: AgentItem[]): ModelResult {
  if (!isRecord(response)) throw unreadable('response', response)
  const { output, status, error } = response
  if (status === 'failed') throw reported(Object(error), response)
  throwAnswered(response)
  if (status === 'queued' || status === 'in_progress' || status === 'cancelled') {
    throw reported({ code: `unsupported_status_${status}` }, response)
  }
  // Some endpoints stream the items and leave them out of the final response.
  const memoryItems: AgentItem[] = recordsOf(output)
  if (memoryItems.length === 0) memoryItems.push(...finished)
  if (!Array.isArray(output) && finished.length === 0) throw unreadable('output', response)
  const usage = usageOf(response['usage'], 'input_tokens', 'output_tokens')
  const finishReason = textOf(Object(response['incomplete_details'])['reason']) || textOf(status)
  return {
    memoryItems,
    toolCalls: memoryItems
      .filter((item) => item.type === 'function_call')
      .map((item) => ({
        callId: textOf(item['call_id']) || null,
        name: textOf(item['name']),
        arguments: argumentsText(item['arguments']) || '{}',
      })),
    text: memoryItems.map(messageText).join(''),
    ...(usage && { usage }),
    ...(finishReason && { finishReason }),
  }
}

/** The text of a message; of a refusal what it says. */
const messageText = (item: AgentItem): string =>
  item.type === 'message'
    ? recordsOf(item['content'])
        .map((part) => textOf(part['text'] ?? part['refusal']))
        .join('')
    : ''
