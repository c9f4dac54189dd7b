import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import { type AgentItem, functionCallOutput, userMessage } from '../contracts/item.ts'
import { wrong } from '../errors.ts'
import { isRecord, jsonText } from '../json.ts'

/**
 * A memory's state: one JSON text per item. Text can be neither aliased nor changed by whoever holds
 * it, and two states are equal exactly when their texts are.
 */
export interface MemoryState {
  readonly items: readonly string[]
  readonly summary?: string | undefined
}

const parse = (text: string) => JSON.parse(text) as AgentItem

/** A detached copy of a state, as users and compressors get it. */
export function snapshotOf(state: MemoryState): MemorySnapshot {
  const items = state.items.map(parse)
  return state.summary === undefined ? { items } : { items, summary: state.summary }
}

/** The state that a user's snapshot describes, checked and detached. */
export function stateOf(snapshot: unknown, what: string): MemoryState {
  if (!isRecord(snapshot)) {
    throw wrong(what, '{ items, summary? }', snapshot)
  }
  const { items, summary } = snapshot
  if (!Array.isArray(items)) throw wrong(`${what}.items`, 'an array', items)
  return { items: itemTexts(items, `${what}.items`), summary: checkSummary(summary) }
}

export function checkSummary(summary: unknown): string | undefined {
  if (summary !== undefined && typeof summary !== 'string') {
    throw wrong('A summary', 'text or undefined', summary)
  }
  return summary
}

/** RULE values: each item as the JSON text that is stored. */
export function itemTexts(items: readonly unknown[], root: string): string[] {
  return Array.from(items, (item, index) => itemText(item, `${root}[${index}]`))
}

function itemText(item: unknown, path: string): string {
  if (!isRecord(item)) throw wrong(path, 'an object', item)
  return jsonText(item, path)
}

/** The items that `addUserInput` adds: text as a user message, an object as it is. */
export function userInputTexts(input: unknown): string[] {
  if (input === null || input === undefined) return []
  if (typeof input === 'string') return [itemText(userMessage(input), 'input')]
  if (Array.isArray(input)) return itemTexts(input, 'input')
  return [itemText(input, 'input')]
}

/** The items that `addOutputItems` adds. */
export function outputTexts(items: unknown): string[] {
  if (items === null || items === undefined) return []
  if (!Array.isArray(items)) throw wrong('items', 'an array', items)
  return itemTexts(items, 'items')
}

/** RULE null callId: null and undefined add nothing; an empty call id is refused. */
export function toolOutputTexts(callId: unknown, output: unknown): string[] {
  if (callId === null || callId === undefined) return []
  if (typeof callId !== 'string' || callId === '') {
    throw wrong('A call id', 'non-empty text or null', callId)
  }
  if (typeof output !== 'string' && !Array.isArray(output)) {
    throw wrong('A tool output', 'text or content parts', output)
  }
  const parts = typeof output === 'string' ? output : itemTexts(output, 'output').map(parse)
  return [JSON.stringify(functionCallOutput(callId, parts))]
}

/** True if `state` has the summary of `seen` and begins with its items. */
export function continues(state: MemoryState, seen: MemoryState): boolean {
  return (
    state.summary === seen.summary && seen.items.every((item, index) => item === state.items[index])
  )
}
