import { type AgentItem, functionCallOutput, userMessage } from '@holdfast/core'

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface History {
  readonly items: AgentItem[]
  readonly callIds: string[]
  /** Each occurs once in the items. */
  readonly texts: string[]
}

/**
 * A history as several models leave it: calls with text and reasoning between them, and their outputs in
 * any order, sometimes behind another message.
 */
export function randomHistory(random: () => number): History {
  const items: AgentItem[] = []
  const callIds: string[] = []
  const texts: string[] = []
  const pick = (count: number) => Math.floor(random() * count)
  const text = () => {
    texts.push(`text ${texts.length}.`)
    return texts.at(-1) as string
  }
  const assistant = (): AgentItem => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: text() }],
  })
  for (let turn = 0; turn < 1 + pick(4); turn++) {
    if (random() < 0.8) items.push(userMessage(text()))
    const open: string[] = []
    for (let part = pick(6); part > 0; part--) {
      const kind = pick(4)
      if (kind === 0) items.push({ type: 'reasoning', id: 'rs', summary: [] })
      else if (kind === 1) items.push(assistant())
      else {
        const id = `call_${callIds.length}`
        callIds.push(id)
        open.push(id)
        items.push({ type: 'function_call', call_id: id, name: 'tool', arguments: '{}' })
      }
    }
    if (open.length > 0 && random() < 0.2) items.push(userMessage(text()))
    while (open.length > 0) {
      const [id = ''] = open.splice(pick(open.length), 1)
      items.push(functionCallOutput(id, text()))
      if (open.length > 0 && random() < 0.1) items.push({ type: 'web_search_call', id: 'ws' })
    }
    if (random() < 0.7) items.push(assistant())
  }
  return { items, callIds, texts }
}
