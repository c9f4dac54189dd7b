import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem } from '../contracts/item.ts'
import { Entries, foldEvents } from './session-event-projector.ts'

/** Stands for what the log does not know: a summary was put in its place, or another writer added it. */
const UNKNOWN = { sequence: 0, at: 0 }

/**
 * The items before the newest user input that is still among them; `undefined` where there is none. The
 * log tells which items came in as one input; of what it does not know each user message counts as one.
 */
export function withoutLastTurn(
  items: readonly AgentItem[],
  events: readonly AgentEvent[],
): readonly AgentItem[] | undefined {
  const memory = new Entries()
  foldEvents(events, {}, undefined, memory)
  memory.install(UNKNOWN, items)
  const inputs = new Set<number>()
  for (const { type, sequence } of events) if (type === 'USER_INPUT') inputs.add(sequence)
  const { list } = memory
  const last = list.findLast(
    ({ sequence, item }) =>
      inputs.has(sequence) || (item.type === 'message' && item['role'] === 'user'),
  )
  if (!last) return undefined
  const from = inputs.has(last.sequence)
    ? list.findIndex(({ sequence }) => sequence === last.sequence)
    : list.indexOf(last)
  return items.slice(0, from)
}
