import type { AgentItem } from '../contracts/item.ts'
import { isInput, isReasoning, roleOf, sideOf } from './paired-items.ts'

/**
 * How many items at the front belong to turns that are over; what follows is the unfinished turn. A turn
 * begins with a run of input messages that has a user's among them, and is over once an assistant message
 * is its last item and no call is open. One that ended otherwise (aborted, say) is still unfinished while the
 * next turn runs, which may go on with it, and is over with that one's end. No pair lies across the border,
 * and no open call before it.
 */
export const finishedLength = (items: readonly AgentItem[]): number =>
  scan(items, items.length).finished

/** The last place up to `at` where a cut parts neither a call from its output nor reasoning from what follows it. */
export const safeCut = (items: readonly AgentItem[], at: number): number => scan(items, at).cut

function scan(items: readonly AgentItem[], at: number): { finished: number; cut: number } {
  const open = new Set<string>()
  let finished = 0
  let cut = 0
  let turn = 0
  let run = -1
  let reasoning = false
  let afterOutput = false
  const assistant = (index: number) => {
    const item = items[index]
    return item && roleOf(item) === 'assistant'
  }

  items.forEach((item, index) => {
    const side = sideOf(item)
    const input = isInput(item)
    const user = roleOf(item) === 'user'
    const output = side?.call === false
    if (open.size === 0) {
      if (index <= at && !reasoning && (input || (afterOutput && !output))) cut = index
      if (input && run < 0) run = index
    }
    if (!input) run = -1
    if (user && run > turn) {
      finished = assistant(run - 1) ? run : turn
      turn = run
    }
    if (side?.key) open[side.call ? 'add' : 'delete'](side.key)
    reasoning = isReasoning(item) || (reasoning && input && !user)
    afterOutput = output
  })
  const { length } = items
  if (open.size === 0) {
    if (length <= at && !reasoning) cut = length
    if (assistant(length - 1)) finished = length
  }
  return { finished, cut }
}
