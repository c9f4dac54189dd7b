import type { Tool } from '@holdfast/core'

/** Calls a tool as the runtime does: arguments checked first. */
export async function runTool(tool: Tool, args: object, signal?: AbortSignal): Promise<string> {
  const output = await tool.execute(await tool.parse(JSON.stringify(args)), {
    callId: 'call',
    step: 0,
    signal: signal ?? new AbortController().signal,
    sessionId: 'session',
    context: undefined,
    ask: () => Promise.reject(new Error('Nobody answers.')),
  })
  if (typeof output !== 'string') throw new TypeError('These tools answer text.')
  return output
}
