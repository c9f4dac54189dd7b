import { HoldfastError } from '@holdfast/core'
import { recordsOf, textOf } from '@holdfast/core/model-client'

/** A content part as Chat Completions takes it. */
export type ChatPart = Readonly<Record<string, unknown>>

/** The parts of a content that may be a string. */
export const partsOf = (content: unknown): ChatPart[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : recordsOf(content)

export const isText = (part: ChatPart): boolean => part['type'] === 'text'

/** Parts of the Responses shape as parts of a chat message; parts of another type pass through untouched. */
export const chatParts = (parts: readonly ChatPart[]): ChatPart[] => parts.map(chatPart)

function chatPart(part: ChatPart): ChatPart {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: textOf(part['text']) }
    case 'input_image':
      return image(part)
    case 'input_file':
      return file(part)
    default:
      return part
  }
}

function image({ image_url: url, detail }: ChatPart): ChatPart {
  if (typeof url !== 'string') throw cannot('an image by file id', 'its URL or a data: URL')
  return { type: 'image_url', image_url: { url, ...(detail != null && { detail }) } }
}

function file({ type: _, file_url: url, ...named }: ChatPart): ChatPart {
  if (url != null) throw cannot('a file by URL', 'file_data or a file_id')
  return { type: 'file', file: named }
}

const cannot = (what: string, instead: string): HoldfastError =>
  new HoldfastError(
    'INVALID_ARGUMENT',
    `Chat Completions cannot carry ${what}; give ${instead}, or use openaiResponses.`,
  )
