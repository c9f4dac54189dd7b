import type { AgentEvent } from '../contracts/events.ts'
import type { AgentItem } from '../contracts/item.ts'
import { itemsOf } from './session-event-projector.ts'

/**
 * The items before the newest user input that is still among them; `undefined` where there is none. The
 * log tells which items came in as one input; where it was trimmed, the last user message counts.
 */
export function withoutLastTurn(
  items: readonly AgentItem[],
  events: readonly AgentEvent[],
): readonly AgentItem[] | undefined {
  const texts = items.map((item) => JSON.stringify(item))
  const isAt = (start: number, input: readonly string[]) =>
    input.every((text, index) => texts[start + index] === text)
  const best = items.findLastIndex(({ type, role }) => type === 'message' && role === 'user')
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event?.type !== 'USER_INPUT') continue
    const input = itemsOf(event.payload).map((item) => JSON.stringify(item))
    if (input.length === 0) continue
    for (let start = items.length - input.length; start >= 0; start--) {
      // The input that holds the last user message begins before it; an input without one may be newer still.
      const isLast = start + input.length > best
      if (isAt(start, input)) return items.slice(0, isLast ? start : best)
    }
  }
  return best < 0 ? undefined : items.slice(0, best)
}
