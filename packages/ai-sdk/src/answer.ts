import type { AgentItem, ModelResult, ToolCall, Usage } from '@holdfast/core'
import { cutStream, type Fields, isRecord, recordsOf, textOf } from '@holdfast/core/model-client'
import { requestError } from './failure.ts'
import { portablePart } from './file-data.ts'
import { withNotes } from './notes.ts'

/** The result of an answer's content parts, in items of the Responses shape: one item for each part. */
export function resultOf(content: unknown, usage: unknown, finishReason: unknown): ModelResult {
  const parts = recordsOf(content)
  const { unified = finishReason, raw } = Object(finishReason)
  if (unified === 'error') throw requestError({ code: 'finish_error' }, undefined)
  if (unified === 'interrupted') throw cutStream()
  const memoryItems = withSources(parts.flatMap(itemOf), parts)
  const counts = usageOf(usage)
  const reason = textOf(raw) || textOf(unified)
  return {
    memoryItems,
    toolCalls: memoryItems.filter(({ type }) => type === 'function_call').map(toolCallOf),
    text: parts.map((part) => (part['type'] === 'text' ? textOf(part['text']) : '')).join(''),
    ...(counts && { usage: counts }),
    ...(reason && { finishReason: reason }),
  }
}

/** True where the model gave no reason for its end: V2 has a word for it, V3 and V4 leave `raw` empty. */
export const hasNoReason = (finishReason: unknown): boolean =>
  finishReason === 'unknown' ||
  (isRecord(finishReason) && finishReason['unified'] === 'other' && !finishReason['raw'])

/** Sources are not shown to the model; they are kept with the last text, and a preliminary result not at all. */
function itemOf(part: Fields): AgentItem[] {
  const { type, providerMetadata: metadata } = part
  const notes = isRecord(metadata) ? { providerMetadata: metadata } : {}
  const noted = (item: AgentItem) => (Object.keys(notes).length > 0 ? withNotes(item, notes) : item)
  const text = textOf(part['text'])
  switch (type) {
    case 'text':
      if (!text && !isRecord(metadata)) return []
      return [
        noted({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
      ]
    case 'reasoning':
      // Marked in any case: no other API takes reasoning that is not its own.
      return [
        withNotes(
          { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] },
          notes,
        ),
      ]
    case 'tool-call':
      if (part['providerExecuted']) break
      return [
        noted({
          type: 'function_call',
          call_id: textOf(part['toolCallId']) || null,
          name: textOf(part['toolName']),
          arguments: inputText(part['input']),
        }),
      ]
    case 'source':
      return []
    case 'tool-result':
      if (part['preliminary']) return []
  }
  return [withNotes({ type: 'provider_part' }, { part: portablePart(part) })]
}

const inputText = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? {})

function withSources(items: AgentItem[], parts: readonly Fields[]): AgentItem[] {
  const sources = parts.filter(({ type }) => type === 'source')
  const at = items.findLastIndex(({ type }) => type === 'message')
  const text = items[at]
  if (!text || sources.length === 0) return items
  const known = isRecord(text['providerData']) ? Object(text['providerData']['aiSdk']) : {}
  return items.with(at, withNotes(text, { ...known, sources }))
}

const toolCallOf = (item: AgentItem): ToolCall => ({
  callId: textOf(item['call_id']) || null,
  name: textOf(item['name']),
  arguments: textOf(item['arguments']) || '{}',
})

/** Numbers in V2, totals of an object in V3 and V4; `undefined` where the provider counted nothing. */
function usageOf(usage: unknown): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const input = count(usage['inputTokens'])
  const output = count(usage['outputTokens'])
  const total = count(usage['totalTokens'])
  if (input === undefined && output === undefined && total === undefined) return undefined
  const [inputTokens, outputTokens] = [input ?? 0, output ?? 0]
  return { inputTokens, outputTokens, totalTokens: total ?? inputTokens + outputTokens }
}

function count(value: unknown): number | undefined {
  const total = isRecord(value) ? value['total'] : value
  return Number.isFinite(total) ? Number(total) : undefined
}
