import type { AgentItem } from '@holdfast/core'

const isInput = ({ type, role }: AgentItem): boolean =>
  type === 'message' && (role === 'user' || role === 'system' || role === 'developer')

/**
 * What a model would refuse in a prompt: a call without its output behind it, an output without its call
 * before it, a second one of either, reasoning parted from what it led to. It uses none of core's code.
 */
export function pairingFaults(items: readonly AgentItem[]): string[] {
  const faults: string[] = []
  const open = new Set<string>()
  const closed = new Set<string>()
  items.forEach((item, index) => {
    const id = String(item['call_id'])
    if (item.type === 'function_call') {
      if (open.has(id) || closed.has(id)) faults.push(`a second call ${id}`)
      open.add(id)
    }
    if (item.type === 'function_call_output') {
      if (closed.has(id)) faults.push(`a second output of ${id}`)
      else if (!open.delete(id)) faults.push(`an output without the call ${id}`)
      closed.add(id)
    }
    if (item.type === 'reasoning') {
      const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning')
      if (!next || isInput(next) || next.type === 'function_call_output') {
        faults.push(`reasoning ${String(item['id'])} without what follows it`)
      }
    }
  })
  for (const id of open) faults.push(`the call ${id} without an output`)
  return faults
}
