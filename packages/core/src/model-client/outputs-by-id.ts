import type { AgentItem } from '../contracts/item.ts'
import { textOf } from './values.ts'

/** The outputs of a prompt by the id of their call, each list in the order of the items. */
export function outputsById(items: readonly AgentItem[]): Map<string, AgentItem[]> {
  const outputs = new Map<string, AgentItem[]>()
  for (const item of items) {
    if (item.type !== 'function_call_output') continue
    const id = textOf(item['call_id'])
    outputs.set(id, [...(outputs.get(id) ?? []), item])
  }
  return outputs
}
