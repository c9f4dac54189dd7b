import type { AgentItem } from '../contracts/item.ts'
import { isInput, isReasoning, roleOf, sideOf, takesText } from './paired-items.ts'
import { pairsOf } from './pairs.ts'
import type { RepairCounts } from './repair-counts.ts'

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
 * `items` as units that a model accepts; `note` is told what was done for that. What `pairsOf` leaves is left out. A
 * call without an output gets one that says so, as the model would else make the call again. Outputs stand in
 * call order where the first of them was, or before the next message. Reasoning stands right before what it led
 * to; without that it is left out.
 */
export function promptUnits(items: readonly AgentItem[], note: RepairCounts['note']): PromptUnit[] {
  const { outputs, left } = pairsOf(items, note)
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
    note('left out: reasoning without what followed it', held.length)
    held = []
  }

  items.forEach((item, index) => {
    const side = sideOf(item)
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

  // A window may have cut off the reasoning of the answer in front.
  const [first] = units
  const [head] = first?.items ?? []
  if (first && head && !isInput(head) && !isReasoning(head)) {
    first.items = first.items.map((item) =>
      roleOf(item) || takesText(item) ? withoutId(item, note) : item,
    )
  }
  return units
}

/** Without the endpoint's own id: by it an endpoint would ask for the reasoning that the item came with. */
export function withoutId(item: AgentItem, note: RepairCounts['note']): AgentItem {
  const { id, ...rest } = item
  if (id === undefined) return item
  note('left out: the id of an item whose reasoning is not shown')
  return rest
}
