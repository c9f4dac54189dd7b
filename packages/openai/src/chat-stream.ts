import type { ModelDelta, ModelResult } from '@holdfast/core'
import { isRecord, recordsOf, textOf } from '@holdfast/core/model-client'
import { argumentsText } from './arguments-text.ts'
import { messageOf, plainContent, REASONING_FIELDS, resultOf } from './chat-answer.ts'
import { reported } from './failure.ts'

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
    const calls = this.#calls.toSorted((a, b) => placeOf(a) - placeOf(b))
    const message = messageOf({ ...this.#message, tool_calls: calls })
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
    const delta = plainContent(isRecord(choice['delta']) ? choice['delta'] : {})
    for (const [key, value] of Object.entries(delta)) {
      if (key === 'tool_calls') for (const piece of recordsOf(value)) this.#addCall(piece)
      else if (key === 'function_call' && isRecord(value)) this.#addCall({ function: value })
      else this.#join(key, value)
    }
    const text = textOf(delta['content']) + textOf(delta['refusal'])
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
    const text = made['arguments'] == null ? '' : argumentsText(made['arguments'])
    let call = this.#callOf(piece['index'], id, name, text)
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
    whole['arguments'] = textOf(whole['arguments']) + text
  }

  /**
   * The call that a piece goes on with. By its index; some endpoints leave that out, or send 0 for every
   * call, and then a name begins a new call where it comes with a new id, or behind whole arguments.
   */
  #callOf(index: unknown, id: string, name: string, text: string): Fields | undefined {
    const call =
      typeof index === 'number'
        ? this.#calls.findLast((one) => one['index'] === index)
        : this.#calls.at(-1)
    if (!call || !name) return call
    const known = textOf(call['id'])
    if (id) return known && id !== known ? undefined : call
    if (typeof index !== 'number') return undefined
    const { name: said, arguments: before } = call['function'] as Fields
    // An endpoint that repeats the name may do so with nothing behind it.
    const more = name !== said || text.trim() !== ''
    return more && isWhole(textOf(before)) ? undefined : call
  }
}

const placeOf = (call: Fields): number => Number(call['index']) || 0

function isWhole(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}
