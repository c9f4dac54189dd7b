import type { AgentItem, ModelResult, ToolCall } from '@holdfast/core'
import { isRecord, recordsOf, textOf } from '@holdfast/core/model-client'
import { argumentsText } from './arguments-text.ts'
import { rest, withNotes } from './chat-notes.ts'
import { usageOf } from './usage.ts'

/** An answer of Chat Completions, whether it came whole or in pieces. */
export interface ChatAnswer {
  readonly content: string
  readonly refusal: string
  readonly reasoning: { readonly field: string; readonly text: string } | undefined
  readonly calls: readonly Readonly<Record<string, unknown>>[]
  /** What else the message says. */
  readonly extra: Readonly<Record<string, unknown>> | undefined
}

/** The field of reasoning that came as parts of the content; they go back as such. */
export const THINKING = 'content.thinking'

/** Where endpoints put the model's reasoning; the first that is filled counts. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', THINKING] as const

/** Properties of a message that have a place in items. `index` numbers the pieces of a stream. */
const MESSAGE = ['role', 'content', 'refusal', 'tool_calls', 'function_call', ...REASONING_FIELDS]
const CALL = ['index', 'id', 'type', 'function']

/** The answer that a message holds. */
export function messageOf(whole: Readonly<Record<string, unknown>>): ChatAnswer {
  const message = plainContent(whole)
  const field = REASONING_FIELDS.find((name) => textOf(message[name]))
  const calls = recordsOf(message['tool_calls'])
  // Before there were tools there was one function.
  const made = message['function_call']
  if (calls.length === 0 && isRecord(made)) calls.push({ function: made })
  return {
    content: textOf(message['content']),
    refusal: textOf(message['refusal']),
    reasoning: field && { field, text: textOf(message[field]) },
    calls,
    extra: rest(message, MESSAGE),
  }
}

/** Some endpoints answer parts where others answer a string, and reason in some of them. */
export function plainContent(
  message: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { content } = message
  if (!Array.isArray(content)) return message
  return { ...message, content: joined(content, 'text'), [THINKING]: joined(content, 'thinking') }
}

const joined = (parts: unknown, key: string): string =>
  recordsOf(parts)
    .map(({ [key]: said }) => (Array.isArray(said) ? joined(said, 'text') : textOf(said)))
    .join('')

/** The result in items of the Responses shape: reasoning, message, calls. */
export function resultOf(answer: ChatAnswer, counts: unknown, reason: unknown): ModelResult {
  const { content, refusal, reasoning, calls, extra } = answer
  const items: AgentItem[] = []
  // What the message says beside its parts goes to its first item.
  const add = (item: AgentItem, notes: object = {}) => {
    items.push(
      withNotes(item, { ...notes, ...(extra && items.length === 0 && { message: extra }) }),
    )
  }
  if (reasoning) {
    const parts = [{ type: 'reasoning_text', text: reasoning.text }]
    add({ type: 'reasoning', summary: [], content: parts }, { field: reasoning.field })
  }
  const parts = [
    ...(content ? [{ type: 'output_text', text: content }] : []),
    ...(refusal ? [{ type: 'refusal', refusal }] : []),
  ]
  if (parts.length > 0) add({ type: 'message', role: 'assistant', content: parts })
  const toolCalls = calls.map(toolCallOf)
  calls.forEach((call, index) => {
    const { callId, name, text } = toolCalls[index] as CallText
    const more = rest(call, CALL)
    add(
      { type: 'function_call', call_id: callId, name, arguments: text },
      more ? { call: more } : {},
    )
  })
  // An image alone, for example.
  if (items.length === 0 && extra) add({ type: 'message', role: 'assistant', content: [] })
  const usage = usageOf(counts, 'prompt_tokens', 'completion_tokens')
  return {
    memoryItems: items,
    toolCalls: toolCalls.map(
      ({ callId, name, text }): ToolCall => ({ callId, name, arguments: text || '{}' }),
    ),
    text: content + refusal,
    ...(usage && { usage }),
    ...(textOf(reason) && { finishReason: textOf(reason) }),
  }
}

interface CallText {
  readonly callId: string | null
  readonly name: string
  readonly text: string
}

function toolCallOf(call: Readonly<Record<string, unknown>>): CallText {
  const made = isRecord(call['function']) ? call['function'] : {}
  return {
    callId: textOf(call['id']) || null,
    name: textOf(made['name']),
    text: argumentsText(made['arguments']),
  }
}
