import type { AgentItem } from '@holdfast/core'

/** A call of the running turn with its output, if it has one. */
export interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly output: string | undefined
}

/** The text of a message or an output, whatever its shape. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : '',
    )
    .join('')
}

export const isMessage = (item: AgentItem, role: string): boolean =>
  (item.type === 'message' || item.type === undefined) && item['role'] === role

/** What the user has said, in order; the last one is what is to be answered. */
export const userTexts = (items: readonly AgentItem[]): string[] =>
  items.filter((item) => isMessage(item, 'user')).map((item) => textOf(item['content']))

/** The calls made since the user spoke last, in order. */
export function callsOfTurn(items: readonly AgentItem[]): Call[] {
  const turn = items.slice(items.findLastIndex((item) => isMessage(item, 'user')) + 1)
  return turn
    .filter((item) => item.type === 'function_call')
    .map((item) => ({
      name: String(item['name']),
      arguments: argumentsOf(item['arguments']),
      output: turn
        .filter((other) => other.type === 'function_call_output')
        .filter((other) => other['call_id'] === item['call_id'])
        .map((other) => textOf(other['output']))[0],
    }))
}

/** True if `call` is what a rule asked for: the same tool, and all of the arguments it named. */
export const isFor = (
  call: Call,
  wish: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
): boolean =>
  call.name === wish.tool &&
  Object.entries(wish.arguments).every(([key, value]) => call.arguments[key] === value)

function argumentsOf(text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** What stands for the items that were compacted away; it comes first. */
export const summaryOf = (items: readonly AgentItem[]): string | undefined => {
  const [first] = items
  return first && isMessage(first, 'system') ? textOf(first['content']) : undefined
}
