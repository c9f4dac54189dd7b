import type { ModelDelta, ModelResult } from '@holdfast/core'
import { contentText, messageOf, REASONING_FIELDS, resultOf } from './chat-answer.ts'
import { reported } from './failure.ts'
import { isRecord, recordsOf, textOf } from './values.ts'

type Fields = Record<string, unknown>

/** Puts the pieces of one streamed answer together. */
export class ChatStream {
  readonly #message: Fields = {}
  readonly #calls: Fields[] = []
  #usage: unknown
  #reason: unknown

  /** Whether the endpoint said that the answer is at its end. */
  get complete(): boolean {
    return typeof this.#reason === 'string'
  }

  result(): ModelResult {
    const message = messageOf({ ...this.#message, tool_calls: this.#calls })
    return resultOf(message, this.#usage, this.#reason)
  }

  /** Takes one piece in and answers what of it can be shown. */
  *add(chunk: Fields): Generator<ModelDelta, void, undefined> {
    this.#usage = chunk['usage'] ?? this.#usage
    // Of several answers the first counts.
    const choice = recordsOf(chunk['choices']).find((one) => (one['index'] ?? 0) === 0)
    if (!choice) return
    if (choice['finish_reason'] === 'error') throw reported(Object(choice['error']), chunk)
    this.#reason = choice['finish_reason'] ?? this.#reason
    const delta = isRecord(choice['delta']) ? choice['delta'] : {}
    for (const [key, value] of Object.entries(delta)) {
      if (key === 'tool_calls') for (const piece of recordsOf(value)) this.#addCall(piece)
      else if (key === 'content') this.#join(key, contentText(value))
      else this.#join(key, value)
    }
    const text = contentText(delta['content']) + textOf(delta['refusal'])
    const reasoning = REASONING_FIELDS.map((name) => textOf(delta[name])).find(Boolean)
    if (reasoning) yield { type: 'reasoning', text: reasoning }
    if (text) yield { type: 'text', text }
  }

  #join(key: string, value: unknown): void {
    const before = this.#message[key]
    if (value == null) return
    const grows = key === 'content' || key === 'refusal' || REASONING_FIELDS.includes(key as never)
    if (grows) this.#message[key] = textOf(before) + textOf(value)
    else if (Array.isArray(before) && Array.isArray(value))
      this.#message[key] = before.concat(value)
    else this.#message[key] = value
  }

  #addCall(piece: Fields): void {
    const id = textOf(piece['id'])
    const made = isRecord(piece['function']) ? piece['function'] : {}
    const name = textOf(made['name'])
    let call = this.#callOf(piece['index'], id, name)
    if (!call) {
      call = { index: piece['index'], function: { name: '', arguments: '' } }
      this.#calls.push(call)
    }
    for (const [key, value] of Object.entries(piece)) {
      if (value != null && key !== 'function' && key !== 'id') call[key] = value
    }
    call['id'] = textOf(call['id']) || id
    const whole = call['function'] as Fields
    const said = textOf(whole['name'])
    // Some endpoints repeat the name with each piece.
    if (name !== said) whole['name'] = said + name
    const text = made['arguments']
    whole['arguments'] =
      textOf(whole['arguments']) + (isRecord(text) ? JSON.stringify(text) : textOf(text))
  }

  /**
   * The call that a piece goes on with. By its index; some endpoints leave that out, or send 0 for every
   * call, and then a new id that comes with a name begins a new call.
   */
  #callOf(index: unknown, id: string, name: string): Fields | undefined {
    const call =
      typeof index === 'number'
        ? this.#calls.findLast((one) => one['index'] === index)
        : this.#calls.at(-1)
    if (!call) return undefined
    const known = textOf(call['id'])
    const another = id !== '' && known !== '' && id !== known
    const nameless = typeof index !== 'number' && id === '' && name !== ''
    return (another && name !== '') || nameless ? undefined : call
  }
}
