import type { AgentItem } from '../contracts/item.ts'
import { invalid, kindOf } from '../errors.ts'
import type { Run } from './run.ts'

/** What the next model call sees, always asked again: the runtime keeps no history of its own. */
export async function readItems({ host, abort }: Run): Promise<AgentItem[]> {
  const items = await abort.race(() => host.memory.getItems())
  if (!Array.isArray(items)) throw invalid(`getItems must answer an array, got ${kindOf(items)}.`)
  return items
}
