import type { AgentItem } from '../contracts/item.ts'
import { sideOf, takesText } from './paired-items.ts'

/** Which items of a list belong together. */
export interface Pairs {
  /** By the index of a call, the index of its output. */
  readonly outputs: ReadonlyMap<number, number>
  /** Calls and outputs that no model accepts. */
  readonly left: ReadonlySet<number>
}

/**
 * Each output belongs to the call of its id that waits for one. Left are outputs without such a call, second
 * ones, a call called again before it was answered, what has no id, and a call without an output where text is
 * none. `note` is told what was found, in words.
 */
export function pairsOf(items: readonly AgentItem[], note: (what: string) => void): Pairs {
  const open = new Map<string, number>()
  const outputs = new Map<number, number>()
  const left = new Set<number>()
  const leave = (index: number, what: string) => {
    left.add(index)
    note(`left out: ${what}`)
  }
  items.forEach((item, index) => {
    const side = sideOf(item)
    if (!side) return
    const { call, key } = side
    const before = open.get(String(key))
    if (key === undefined) leave(index, 'a call or an output without an id')
    else if (call) {
      if (before !== undefined) leave(before, 'a call whose id was used again before its output')
      open.set(key, index)
    } else if (before === undefined) leave(index, 'an output without a call that waits for it')
    else {
      outputs.set(before, index)
      open.delete(key)
    }
  })
  for (const index of open.values()) {
    if (takesText(items[index] as AgentItem)) note('added: an output for a call without one')
    else leave(index, 'a call without an output')
  }
  return { outputs, left }
}
