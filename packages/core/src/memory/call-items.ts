import type { AgentItem } from '../contracts/item.ts'
import type { ToolCall } from '../contracts/model-client.ts'

/** A call with the id under which memory holds it. */
export interface FilledCall extends ToolCall {
  /** Never blank, and no other call of this memory has it. */
  readonly callId: string
}

const isId = (id: unknown): id is string => typeof id === 'string' && id.trim() !== ''

/** True for an item by which the model calls a function. */
export const isFunctionCall = (item: AgentItem): boolean => item.type === 'function_call'

const idsOf = (items: readonly AgentItem[], type?: string): Set<string> =>
  new Set(
    items
      .filter((item) => !type || item.type === type)
      .map((item) => item['call_id'])
      .filter(isId),
  )

/** The ids that items of any type already carry. */
export const usedCallIds = (items: readonly AgentItem[]): Set<string> => idsOf(items)

/** The ids of calls that have an output. */
export const answeredCallIds = (items: readonly AgentItem[]): Set<string> =>
  idsOf(items, 'function_call_output')

/** The calls without an output, in call order. */
export function openCalls(items: readonly AgentItem[]): FilledCall[] {
  const closed = answeredCallIds(items)
  return items.flatMap((item) => {
    const { call_id: callId, name, arguments: args } = item
    // Each id once: a second call of that id shares the output of the first.
    if (!isFunctionCall(item) || !isId(callId) || closed.has(callId)) return []
    closed.add(callId)
    return [{ callId, name: String(name), arguments: typeof args === 'string' ? args : '' }]
  })
}

/**
 * The model's items and calls with ids that are unique in memory and batch: endpoints leave them out, or
 * say `call_0` every turn. `toolCalls[i]` belongs to the i-th `function_call` of `items`. Adds to `used`.
 */
export function fillCallIds(
  items: readonly AgentItem[],
  toolCalls: readonly ToolCall[],
  used: Set<string>,
  step: number,
): { items: AgentItem[]; calls: FilledCall[] } {
  const calls: FilledCall[] = []
  for (const id of usedCallIds(items.filter((item) => !isFunctionCall(item)))) used.add(id)
  const filled = items.map((item) => {
    const call = toolCalls[calls.length]
    if (!isFunctionCall(item) || !call) return item
    const given = isId(call.callId) ? call.callId : item['call_id']
    const callId =
      isId(given) && !used.has(given) ? given : freeId(`tool_step_${step}_${calls.length}`, used)
    used.add(callId)
    calls.push({ callId, name: call.name, arguments: call.arguments })
    // What was changed on the way (by a hook, say) is what somebody may approve later.
    return { ...item, call_id: callId, name: call.name, arguments: call.arguments }
  })
  return { items: filled, calls }
}

function freeId(base: string, used: ReadonlySet<string>): string {
  let id = base
  for (let count = 2; used.has(id); count++) id = `${base}_${count}`
  return id
}
