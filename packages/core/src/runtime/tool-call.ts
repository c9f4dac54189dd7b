import type { CallState } from '../contracts/agent-runtime.ts'
import type { AgentItem, JsonValue } from '../contracts/item.ts'
import { HoldfastError, show } from '../errors.ts'
import { cloneJson, toJson } from '../json.ts'
import type { FilledCall } from '../memory/call-items.ts'
import { applyHooks } from './hooks.ts'
import { messageOf } from './message-of.ts'
import { infoOf, type Run } from './run.ts'
import { content, toToolOutput } from './tool-output.ts'
import type { Tool, ToolContext } from './tools.ts'

/** What becomes of a call: an output, or a wait for somebody outside. */
export type CallOutcome =
  | {
      readonly output: string | readonly AgentItem[]
      readonly ok: boolean
      readonly error?: string
    }
  | { readonly request: JsonValue | undefined }

/** A call that may start: its tool and its arguments. */
export interface ReadyCall {
  readonly tool: Tool
  readonly args: unknown
  readonly context: ToolContext
  /** Resolves once the tool has asked somebody outside. */
  readonly asked: Promise<CallOutcome>
}

const failed = (error: unknown): CallOutcome => {
  const message = messageOf(error)
  return { output: `Error: ${message}`, ok: false, error: message }
}

/** All that comes before the tool starts. Whatever goes wrong becomes an output that the model sees. */
export async function prepareCall(
  run: Run,
  call: FilledCall,
  step: number,
  { approved, replies }: CallState,
): Promise<ReadyCall | CallOutcome> {
  const { config, abort } = run
  const tool = config.tools.get(call.name)
  if (!tool) {
    const names = [...config.tools.keys()].join(', ') || 'none'
    return failed(`there is no tool named ${show(call.name)}; available: ${names}.`)
  }
  try {
    const info = { ...infoOf(run, step), call, arguments: call.arguments }
    const seen = await applyHooks(config.hooks, 'beforeTool', info)
    const args = await tool.parse(seen.arguments)
    const { ask, asked } = asking(replies)
    const { sessionId, context } = info
    const own: ToolContext = {
      callId: call.callId,
      step,
      signal: abort.signal,
      sessionId,
      context,
      ask,
    }
    if (!approved && (await tool.needsApproval(args, own))) return { request: undefined }
    // A run that was aborted while a slow check looked at the arguments starts nothing any more.
    abort.signal.throwIfAborted()
    return { tool, args, context: own, asked }
  } catch (error) {
    return failed(error)
  }
}

export async function executeCall(
  run: Run,
  call: FilledCall,
  step: number,
  { tool, args, context, asked }: ReadyCall,
): Promise<CallOutcome> {
  const execute = async (): Promise<CallOutcome> => {
    try {
      return { output: toToolOutput(await tool.execute(args, context)), ok: true }
    } catch (error) {
      return failed(error)
    }
  }
  try {
    const outcome = await Promise.race([asked, execute()])
    if (!('output' in outcome)) return outcome
    const info = { ...infoOf(run, step), call, output: outcome.output }
    const seen = await applyHooks(run.config.hooks, 'afterTool', info)
    return seen.output === outcome.output ? outcome : { ...outcome, output: stored(seen.output) }
  } catch (error) {
    return failed(error)
  }
}

const stored = (output: string | readonly AgentItem[]) =>
  toToolOutput(typeof output === 'string' ? output : content(output))

/** `context.ask` of one call: what was answered before, in order, and then the interruption. */
function asking(replies: readonly JsonValue[]): {
  ask: ToolContext['ask']
  asked: Promise<CallOutcome>
} {
  let count = 0
  let interrupt!: (outcome: CallOutcome) => void
  const asked = new Promise<CallOutcome>((resolve) => {
    interrupt = resolve
  })
  const ask = async (request: unknown): Promise<JsonValue> => {
    const reply = replies[count++]
    if (reply !== undefined) return cloneJson(reply, 'reply')
    interrupt({ request: toJson(request) })
    throw new HoldfastError(
      'PENDING_CALLS',
      'The run is interrupted until somebody answers; this call then starts from its top.',
    )
  }
  // Whoever does not await it must not end the process.
  return { asked, ask: (request) => silent(ask(request)) }
}

function silent<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
