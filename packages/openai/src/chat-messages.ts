import type { AgentItem } from '@holdfast/core'
import { outputsById, recordsOf, textOf } from '@holdfast/core/model-client'
import { argumentsText } from './arguments-text.ts'
import { THINKING } from './chat-answer.ts'
import { notesOf } from './chat-notes.ts'
import { type ChatPart, chatParts, isText, partsOf } from './chat-parts.ts'

/** A message as Chat Completions takes it. */
export type ChatMessage = Readonly<Record<string, unknown>> & { readonly role: string }

/** What one assistant message is made of. */
interface Draft {
  texts: string[]
  refusals: string[]
  reasoning: Record<string, string>
  calls: { id: string; call: Record<string, unknown> }[]
  extra: Readonly<Record<string, unknown>>
}

/**
 * The messages that say what `items` say. A model's items in a row become one assistant message; the
 * outputs of its calls follow it at once, as the API demands, wherever they stand. Items that Chat
 * Completions has no word for (reasoning of another API, calls of hosted tools) are left out.
 */
export function chatMessages(items: readonly AgentItem[], keepReasoning: boolean): ChatMessage[] {
  const messages: ChatMessage[] = []
  const outputs = outputsById(items)
  let draft: Draft | undefined
  const close = () => {
    if (draft) messages.push(...assistant(draft, outputs))
    draft = undefined
  }
  for (const item of items) {
    const role = textOf(item['role'])
    const notes = notesOf(item)
    if (item.type === 'function_call_output') {
      close()
      // Taken already if its call came before.
      const orphan = outputs.get(textOf(item['call_id']))
      const at = orphan?.indexOf(item) ?? -1
      if (orphan && at >= 0) messages.push(...toolMessages(orphan.splice(at, 1)))
    } else if (role && role !== 'assistant') {
      close()
      messages.push({ role, ...named(item), content: contentOf(partsOf(item['content'])) })
    } else if (role || item.type === 'function_call' || (item.type === 'reasoning' && notes)) {
      // A message behind calls joins them, or it would stand between them and their outputs.
      if (draft && begins(item, draft)) close()
      draft ??= { texts: [], refusals: [], reasoning: {}, calls: [], extra: {} }
      take(item, draft, keepReasoning)
    }
  }
  close()
  return messages
}

/** Whether an item is of another answer than the draft. */
function begins(item: AgentItem, draft: Draft): boolean {
  if (draft.calls.length > 0) return false
  if (item.type === 'function_call') return false
  return draft.texts.length + draft.refusals.length > 0
}

function take(item: AgentItem, draft: Draft, keepReasoning: boolean): void {
  const notes = notesOf(item)
  draft.extra = { ...draft.extra, ...notes?.message }
  if (item.type === 'function_call') {
    const id = textOf(item['call_id'])
    const made = { name: textOf(item['name']), arguments: argumentsText(item['arguments']) }
    draft.calls.push({ id, call: { id, type: 'function', function: made, ...notes?.call } })
  } else if (item.type === 'reasoning') {
    const text = recordsOf(item['content']).map((part) => textOf(part['text']))
    const field = keepReasoning ? notes?.field : undefined
    if (field) draft.reasoning[field] = textOf(draft.reasoning[field]) + text.join('')
  } else {
    const parts = partsOf(item['content'])
    const refusals = parts.filter(({ type }) => type === 'refusal')
    const texts = parts.filter(({ type }) => type !== 'refusal')
    draft.refusals.push(...refusals.map((part) => textOf(part['refusal'])))
    if (texts.length > 0) draft.texts.push(texts.map((part) => textOf(part['text'])).join(''))
  }
}

function assistant(draft: Draft, outputs: Map<string, AgentItem[]>): ChatMessage[] {
  const { texts, refusals, calls, extra } = draft
  const { [THINKING]: thinking, ...reasoning } = draft.reasoning
  const said = texts.length + refusals.length + calls.length
  // Reasoning that is left out may be all there was.
  if (said + Object.keys({ ...draft.reasoning, ...extra }).length === 0) return []
  // Null beside calls; alone it would be refused.
  const text = texts.length > 0 || calls.length + refusals.length === 0 ? texts.join('\n') : null
  const message: ChatMessage = {
    role: 'assistant',
    content: thinking ? [thought(thinking), ...(text ? [textPart(text)] : [])] : text,
    ...(refusals.length > 0 && { refusal: refusals.join('\n') }),
    ...reasoning,
    ...(calls.length > 0 && { tool_calls: calls.map(({ call }) => call) }),
    ...extra,
  }
  const answers = calls.flatMap(({ id }) => outputs.get(id)?.splice(0, 1) ?? [])
  return [message, ...toolMessages(answers)]
}

const textPart = (text: string): ChatPart => ({ type: 'text', text })

const thought = (text: string): ChatPart => ({ type: 'thinking', thinking: [textPart(text)] })

/**
 * Outputs as tool messages. Those take text alone; images and files follow in a user message, behind the
 * last of them, since nothing may stand between.
 */
function toolMessages(outputs: readonly AgentItem[]): ChatMessage[] {
  const attached: ChatPart[] = []
  const messages = outputs.map((item): ChatMessage => {
    const id = textOf(item['call_id'])
    const parts = chatParts(partsOf(item['output']))
    const others = parts.filter((part) => !isText(part))
    const texts = parts.filter(isText)
    if (others.length > 0) {
      attached.push(textPart(`Content of the tool output ${id}:`), ...others)
      texts.push(textPart('(Its images and files follow in the next user message.)'))
    }
    return { role: 'tool', tool_call_id: id, content: plain(texts) }
  })
  return attached.length > 0 ? [...messages, { role: 'user', content: attached }] : messages
}

/** Text alone is sent as a string, which every endpoint takes. */
const contentOf = (parts: readonly Record<string, unknown>[]) => plain(chatParts(parts))

function plain(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const [first, ...more] = parts
  if (!first) return ''
  return more.length === 0 && isText(first) ? textOf(first['text']) : parts
}

const named = (item: AgentItem) => (textOf(item['name']) ? { name: item['name'] } : {})
