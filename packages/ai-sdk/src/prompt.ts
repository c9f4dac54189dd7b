import type { AgentItem } from '@holdfast/core'
import { type Fields, outputsById, recordsOf, textOf } from '@holdfast/core/model-client'
import {
  type FileContent,
  fileOf,
  filePart,
  inputOf,
  outputFile,
  returningPart,
} from './file-data.ts'
import type { AiSdkLanguageModel } from './language-model.ts'
import { isNoted, notesOf } from './notes.ts'

/** A message of an AI SDK prompt. */
interface Message {
  readonly role: string
  readonly content: string | Fields[]
}

/**
 * The prompt that says what `items` say, in the shape of the model's specification. A model's items in a
 * row become one assistant message; the outputs of its calls follow it at once, wherever they stand.
 * Reasoning and items of other APIs are left out.
 */
export function promptOf(items: readonly AgentItem[], model: AiSdkLanguageModel): Message[] {
  const messages: Message[] = []
  const outputs = outputsById(items)
  let answer: Fields[] = []
  const close = () => {
    if (answer.length > 0) messages.push({ role: 'assistant', content: answer })
    const results = answer.flatMap((part) => {
      if (part['type'] !== 'tool-call' || part['providerExecuted']) return []
      const output = outputs.get(textOf(part['toolCallId']))?.shift()
      return output ? [toolResult(output, textOf(part['toolName']), model)] : []
    })
    if (results.length > 0) messages.push({ role: 'tool', content: results })
    answer = []
  }
  for (const item of items) {
    const role = textOf(item['role'])
    if (item.type === 'function_call_output') {
      close()
      // Taken already if its call came before.
      const waiting = outputs.get(textOf(item['call_id'])) ?? []
      const at = waiting.indexOf(item)
      if (at < 0) continue
      waiting.splice(at, 1)
      messages.push({ role: 'tool', content: [toolResult(item, 'unknown', model)] })
    } else if (role && role !== 'assistant') {
      close()
      messages.push(role === 'user' ? userMessage(item, model) : systemMessage(item))
    } else answer.push(...assistantParts(item, model))
  }
  close()
  return messages
}

/** The parts of a content that may be a string. */
const partsOf = (content: unknown): Fields[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : recordsOf(content)

const isText = ({ type }: Fields): boolean => type === 'input_text' || type === 'output_text'

function systemMessage(item: AgentItem): Message {
  const texts = partsOf(item['content']).map((part) => textOf(part['text']))
  return { role: 'system', content: texts.join('\n') }
}

function userMessage(item: AgentItem, model: AiSdkLanguageModel): Message {
  const content = partsOf(item['content']).map((part) =>
    shaped(part, (file) => filePart(file, model)),
  )
  return { role: 'user', content }
}

/** A content part in the AI SDK's words; one of another type passes through untouched. */
function shaped(part: Fields, file: (found: FileContent) => Fields): Fields {
  if (isText(part)) return { type: 'text', text: textOf(part['text']) }
  const found = fileOf(part)
  return found ? file(found) : part
}

function assistantParts(item: AgentItem, model: AiSdkLanguageModel): Fields[] {
  const { providerMetadata, part } = notesOf(item)
  const options = providerMetadata ? { providerOptions: providerMetadata } : {}
  switch (item.type) {
    case 'function_call':
      return [
        {
          type: 'tool-call',
          toolCallId: textOf(item['call_id']),
          toolName: textOf(item['name']),
          input: inputOf(item['arguments']),
          ...options,
        },
      ]
    case 'reasoning': {
      if (!isNoted(item)) return []
      const text = recordsOf(item['content']).map((one) => textOf(one['text']))
      return [{ type: 'reasoning', text: text.join(''), ...options }]
    }
    case 'provider_part': {
      const back = part && returningPart(part, model)
      return back ? [back] : []
    }
  }
  if (!item['role']) return []
  return partsOf(item['content']).map((one) => ({
    type: 'text',
    text: textOf(one['text'] ?? one['refusal']),
    ...options,
  }))
}

function toolResult(item: AgentItem, toolName: string, model: AiSdkLanguageModel): Fields {
  const parts = partsOf(item['output'])
  // Many providers have no content parts in an output, and send their JSON.
  const output = parts.every(isText)
    ? { type: 'text', value: parts.map((part) => textOf(part['text'])).join('\n') }
    : {
        type: 'content',
        value: parts.map((part) => shaped(part, (file) => outputFile(file, model))),
      }
  return { type: 'tool-result', toolCallId: textOf(item['call_id']), toolName, output }
}
