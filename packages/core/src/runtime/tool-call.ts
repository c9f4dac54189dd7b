import type { AgentItem } from '../contracts/item.ts'
import { show } from '../errors.ts'
import { messageOf } from './message-of.ts'
import { toToolOutput } from './tool-output.ts'
import type { Tool, ToolContext } from './tools.ts'

/** Runs one call. Whatever goes wrong becomes an output that the model sees, so this never rejects. */
export async function executeCall(
  tools: ReadonlyMap<string, Tool>,
  call: { readonly name: string; readonly arguments: string },
  context: ToolContext,
): Promise<string | readonly AgentItem[]> {
  const tool = tools.get(call.name)
  if (!tool) {
    const names = [...tools.keys()].join(', ') || 'none'
    return `Error: there is no tool named ${show(call.name)}; available: ${names}.`
  }
  try {
    const args = await tool.parse(call.arguments)
    // A run that was aborted while a slow check looked at the arguments starts nothing any more.
    context.signal.throwIfAborted()
    return toToolOutput(await tool.execute(args, context))
  } catch (error) {
    return `Error: ${messageOf(error)}`
  }
}
