import type { ModelDelta } from '@holdfast/core'
import { type Fields, textOf } from '@holdfast/core/model-client'
import { requestError } from './failure.ts'

/** Puts the parts of one streamed answer together. */
export class AnswerStream {
  readonly content: Record<string, unknown>[] = []
  /** Texts and reasoning that have begun, by kind and id. */
  readonly #open = new Map<string, Record<string, unknown>>()
  /** The part that ended the answer. */
  finish: Fields | undefined;

  /** Takes one part in and answers what of it can be shown; throws what it reports. */
  *add(part: Fields): Generator<ModelDelta, void, undefined> {
    const type = textOf(part['type'])
    const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind === 'text' || kind === 'reasoning') {
      const text = this.#grow(kind, step ?? '', part)
      if (text) yield { type: kind, text }
    } else if (type === 'error') throw requestError(part['error'], undefined)
    else if (type === 'finish') this.finish = part
    else if (CONTENT.includes(type)) this.content.push({ ...part })
  }

  #grow(kind: string, step: string, part: Fields): string {
    const key = `${kind} ${part['id']}`
    // An id may be used again, for another text.
    let open = step === 'start' ? undefined : this.#open.get(key)
    if (!open) {
      open = { type: kind, text: '' }
      this.#open.set(key, open)
      this.content.push(open)
    }
    const delta = step === 'delta' ? textOf(part['delta']) : ''
    open['text'] = textOf(open['text']) + delta
    // Each part may bring it, and the last one is the fullest: a signature comes at the end.
    if (part['providerMetadata']) open['providerMetadata'] = part['providerMetadata']
    return delta
  }
}

const CONTENT = [
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'file',
  'reasoning-file',
  'source',
  'custom',
]
