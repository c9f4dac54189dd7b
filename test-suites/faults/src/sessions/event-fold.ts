import type { AgentEvent, AgentItem, MemorySnapshot } from '@holdfast/core'

type Payload = Readonly<Record<string, unknown>>

/** The memory that events tell of, as the table of event types says it. It uses none of core's code. */
export function foldOf(events: readonly AgentEvent[]): MemorySnapshot {
  let items: AgentItem[] = []
  let summary: string | undefined
  for (const { type, payload } of events as readonly { type: string; payload: Payload }[]) {
    const callId = payload['callId']
    const output = payload['output']
    const added = (payload['items'] ?? []) as AgentItem[]
    if (type === 'USER_INPUT' || type === 'MEMORY_ITEMS_APPENDED') items.push(...added)
    if (type === 'TOOL_RESULT') {
      items.push({ type: 'function_call_output', call_id: callId, output })
    }
    if (type === 'TOOL_OUTPUT_REPLACED') {
      items = items.map((item) =>
        item.type === 'function_call_output' && item['call_id'] === callId
          ? { ...item, output }
          : item,
      )
    }
    const installed = (
      type === 'MEMORY_COMPRESS'
        ? payload['memory']
        : type === 'SESSION_RESTORED' && payload['unchanged'] !== true
          ? payload
          : undefined
    ) as MemorySnapshot | undefined
    if (installed) {
      items = [...installed.items]
      summary = installed.summary
    }
  }
  return summary === undefined ? { items } : { items, summary }
}
