import { HoldfastError } from '@holdfast/core'
import { type Fields, isRecord, textOf } from '@holdfast/core/model-client'
import type { AiSdkLanguageModel } from './language-model.ts'

/** A file as the parts of a prompt name it, before a specification gives it its shape. */
export interface FileContent {
  readonly mediaType: string
  /** Base64, a URL, or the provider's id of an uploaded file. */
  readonly data: string | URL | { readonly id: string }
  readonly filename?: string
  /** How closely an image is looked at. */
  readonly detail?: string
}

/** The file of a content part of the Responses shape; `undefined` for a part that is none. */
export function fileOf(part: Fields): FileContent | undefined {
  const { type, filename } = part
  if (type === 'input_image') {
    const file = located(part['image_url'], part['file_id'], 'image/*')
    return typeof part['detail'] === 'string' ? { ...file, detail: part['detail'] } : file
  }
  if (type === 'input_file') {
    const place = part['file_data'] ?? part['file_url']
    const file = located(place, part['file_id'], 'application/pdf')
    return typeof filename === 'string' ? { ...file, filename } : file
  }
  if (type !== 'input_audio' || !isRecord(part['input_audio'])) return undefined
  const { data, format } = part['input_audio']
  return { mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`, data: textOf(data) }
}

function located(place: unknown, id: unknown, usual: string): FileContent {
  if (typeof place !== 'string') return { mediaType: usual, data: { id: textOf(id) } }
  const [, mediaType, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(place) ?? []
  if (data !== undefined) return { mediaType: mediaType || usual, data }
  // What is neither a URL nor a data: URL is base64 by itself.
  return { mediaType: usual, data: URL.canParse(place) ? new URL(place) : place }
}

/** A file part of a user message. */
export function filePart(file: FileContent, model: AiSdkLanguageModel): Fields {
  const { data, mediaType, filename, detail } = file
  const named = {
    ...(filename !== undefined && { filename }),
    mediaType,
    // No word of the specification; OpenAI's provider reads it here, others pass over it.
    ...(detail !== undefined && { providerOptions: { openai: { imageDetail: detail } } }),
  }
  if (model.specificationVersion === 'v4')
    return { type: 'file', ...named, data: tagged(data, model) }
  return { type: 'file', ...named, data: isId(data) ? refuse('by its id') : data }
}

/** A file of a tool's output. */
export function outputFile(file: FileContent, model: AiSdkLanguageModel): Fields {
  const { data, mediaType, filename } = file
  if (model.specificationVersion === 'v4') return filePart(file, model)
  if (isId(data)) return refuse('by its id')
  const image = mediaType.startsWith('image/')
  if (data instanceof URL) {
    if (model.specificationVersion === 'v2') return refuse('by URL in a tool output')
    return { type: image ? 'image-url' : 'file-url', url: data.href }
  }
  if (model.specificationVersion === 'v2') return { type: 'media', data, mediaType }
  if (image) return { type: 'image-data', data, mediaType }
  return { type: 'file-data', data, mediaType, ...(filename !== undefined && { filename }) }
}

const isId = (data: FileContent['data']): data is { readonly id: string } =>
  typeof data === 'object' && 'id' in data

/** V4 says of each file what its data is. */
function tagged(data: FileContent['data'], model: AiSdkLanguageModel): Fields {
  if (data instanceof URL) return { type: 'url', url: data }
  if (!isId(data)) return { type: 'data', data }
  return { type: 'reference', reference: { [model.provider.split('.')[0] ?? '']: data.id } }
}

function refuse(how: string): never {
  throw new HoldfastError(
    'INVALID_ARGUMENT',
    `This AI SDK model takes no file ${how}; give a data: URL.`,
  )
}

/** A part of an answer as JSON: bytes as base64, URLs as text. */
export const portablePart = (part: Fields): Fields => portable(part) as Fields

function portable(value: unknown): unknown {
  if (value instanceof Uint8Array) return base64(value)
  if (value instanceof URL) return value.href
  if (Array.isArray(value)) return value.map(portable)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, portable(one)]))
}

/** In pieces: one call with all bytes of an image would run out of stack. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  }
  return btoa(text)
}

/** A part of an answer as a part of the next prompt; `undefined` where the specification has no word for it. */
export function returningPart(part: Fields, model: AiSdkLanguageModel): Fields | undefined {
  const { providerMetadata, ...own } = part
  const options = isRecord(providerMetadata) ? { providerOptions: providerMetadata } : {}
  const { type, toolCallId, toolName, result, mediaType } = own
  switch (type) {
    case 'tool-call':
      return { ...own, input: inputOf(own['input']), ...options }
    case 'tool-result': {
      const output = { type: part['isError'] ? 'error-json' : 'json', value: result }
      return { type, toolCallId, toolName, output, ...options }
    }
    case 'file':
      return { ...filePart(returningFile(own, textOf(mediaType)), model), ...options }
  }
  if (model.specificationVersion !== 'v4') return undefined
  if (type === 'reasoning-file') {
    return { ...filePart(returningFile(own, textOf(mediaType)), model), type, ...options }
  }
  return type === 'custom' ? { ...own, ...options } : undefined
}

/** V4 tags the data of a file, V2 and V3 do not; a session may go from one to the other. */
function returningFile({ data }: Fields, mediaType: string): FileContent {
  const tag = isRecord(data) ? data : { type: 'data', data }
  const url = textOf(tag['url'])
  return { mediaType, data: tag['type'] === 'url' && url ? new URL(url) : textOf(tag['data']) }
}

/** The arguments as the object that providers take; text that is none would make some refuse the whole prompt. */
export function inputOf(text: unknown): unknown {
  try {
    const input = JSON.parse(textOf(text))
    return isRecord(input) ? input : {}
  } catch {
    return {}
  }
}
