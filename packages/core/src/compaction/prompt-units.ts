import type { AgentItem } from '../contracts/item.ts'
import { isInput, isReasoning, roleOf, sideOf, takesText, withoutId } from './paired-items.ts'

/**
 * Items that a prompt shows together or not at all: an input message; or an answer of the model from its
 * first item to the outputs of its calls.
 */
export interface PromptUnit {
  items: AgentItem[]
  /** Where its first item was. */
  readonly from: number
}

const MOVED = 'moved: an item to where a model expects it'
const NO_OUTPUT = 'No output yet: the call has not finished, or was cut off.'

/**
 * `items` as units that a model accepts, and what was done for that. An output without its call, a second one,
 * a call called again before it was answered, and what has no id are left out. A call without an output gets
 * one that says so, as the model would else make the call again; it is left out where text is no output of it.
 * Outputs stand in call order where the first of them was, or before the next message. Reasoning stands right
 * before what it led to; without that it is left out.
 */
export function promptUnits(items: readonly AgentItem[]): {
  units: PromptUnit[]
  repairs: string[]
} {
  const counts = new Map<string, number>()
  const note = (what: string, count = 1) => counts.set(what, (counts.get(what) ?? 0) + count)

  const sides = items.map(sideOf)
  const open = new Map<string, number>()
  const outputs = new Map<number, number>()
  const left = new Set<number>()
  const leave = (index: number, what: string) => {
    left.add(index)
    note(`left out: ${what}`)
  }
  sides.forEach((side, index) => {
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

  const units: PromptUnit[] = []
  let unit: PromptUnit | undefined
  let held: number[] = []
  let calls: number[] = []
  const show = (item: AgentItem | undefined) => item && unit?.items.push(item)
  const begin = (from: number) => {
    unit = { items: [], from }
    units.push(unit)
  }
  const end = (next: number) => {
    for (const index of calls) {
      const { type, call_id } = items[index] as AgentItem
      const output = outputs.get(index)
      while (left.has(next)) next++
      if (output === undefined) {
        show({ type: `${type}_output`, call_id, output: NO_OUTPUT })
      } else {
        if (output !== next) note(MOVED)
        next = output + 1
        show(items[output])
      }
    }
    calls = []
    unit = undefined
  }
  const drop = () => {
    if (held.length) note('left out: reasoning without what followed it', held.length)
    held = []
  }

  items.forEach((item, index) => {
    const side = sides[index]
    if (left.has(index)) return
    if (isReasoning(item)) held.push(index)
    else if (side?.call === false) {
      drop()
      if (calls.length) end(index)
    } else if (isInput(item)) {
      end(index)
      if (roleOf(item) === 'user') drop()
      else if (held.length) note(MOVED)
      begin(index)
      show(item)
      unit = undefined
    } else {
      if (!unit) begin(held[0] ?? index)
      const alone = !side && !unit?.items.length && !held.length
      for (const at of held) show(items[at])
      held = []
      show(item)
      if (side) calls.push(index)
      // Nothing that follows depends on it: it may go alone.
      if (alone) unit = undefined
    }
  })
  drop()
  end(items.length)

  // A window may have cut off the reasoning of the answer in front; by its ids it would be asked for.
  const [first] = units
  const [head] = first?.items ?? []
  if (first && head && !isInput(head) && !isReasoning(head)) {
    first.items = first.items.map((item) => {
      if (item['id'] === undefined || !(roleOf(item) || takesText(item))) return item
      note('left out: the id of an item whose reasoning may be cut off')
      return withoutId(item)
    })
  }
  return { units, repairs: Array.from(counts, ([what, count]) => `${what} (${count})`) }
}
