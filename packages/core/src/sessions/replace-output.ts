import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, show, wrong } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import type { Recorder } from './recorder.ts'

/** A copy of what may be stored as the output of a call: the caller may change its own before it is. */
export function checkOutput(output: unknown): string | readonly AgentItem[] {
  const ok = typeof output === 'string' || (Array.isArray(output) && output.every(isRecord))
  if (!ok) throw wrong('A tool output', 'text or content parts', output)
  return cloneJson(output as string | readonly AgentItem[], 'output')
}

export const noSuchCall = (callId: unknown, what: string) =>
  new HoldfastError('NOT_FOUND', `There is no ${what} ${show(callId)} in this memory.`, {
    outcome: 'not-committed',
  })

/** Puts `output` in the place of the stored output of `callId`; `NOT_FOUND` where there is none. */
export async function replaceOutput(
  recorder: Recorder,
  callId: string,
  output: string | readonly AgentItem[],
): Promise<void> {
  const kept = recorder.redactOutput(callId, checkOutput(output), 'TOOL_OUTPUT_REPLACED')
  const isIt = (item: AgentItem) =>
    item.type === 'function_call_output' && item['call_id'] === callId
  await recorder.change(
    'TOOL_OUTPUT_REPLACED',
    (current) => {
      if (!current.items.some(isIt)) throw noSuchCall(callId, 'output of call')
      return {
        ...current,
        items: current.items.map((item) => (isIt(item) ? { ...item, output: kept } : item)),
      }
    },
    () => ({ callId, output: kept }),
  )
}
