import type { AgentInput, AgentResult, RunOptions } from '../contracts/agent-runtime.ts'
import { HoldfastError, knownOptions } from '../errors.ts'
import { type Tool, type ToolContext, tool } from './tools.ts'

/** How an agent shows itself to another as a tool. */
export interface AgentToolOptions {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string
  /** What the agent can do, for the model that calls it. */
  readonly description: string
  /**
   * The session of the sub-agent for a call, so that it remembers; needs a memory of its own for each id.
   * Default: a fresh in-memory one for each call.
   */
  readonly sessionId?: ((context: ToolContext) => string) | undefined
}

/** A sub-agent as a tool: it takes `{ input }`, works in a memory of its own, and answers its final text. */
export function agentTool(
  options: AgentToolOptions,
  run: (input: AgentInput, options: RunOptions, sessionId?: string) => Promise<AgentResult>,
): Tool {
  const { name, description, sessionId } = knownOptions(options, [
    'name',
    'description',
    'sessionId',
  ])
  return tool({
    name,
    description,
    parameters: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
    },
    async execute(args, context) {
      const { input } = args
      if (typeof input !== 'string') throw new TypeError('input must be a string.')
      const { signal } = context
      const result = await run(input, { signal, context: context.context }, sessionId?.(context))
      if (result.status === 'completed') return result.output ?? result.text
      throw new HoldfastError(
        'PENDING_CALLS',
        'the sub-agent waits for an approval, which nobody can give it here.',
      )
    },
  })
}
