import { setImmediate as turn } from 'node:timers/promises'
import { content, type Tool, type ToolContext, tool } from '@holdfast/core'
import type { CallOrders } from './session-plan.ts'

/** What the tools of a sequence reach of the world around them. */
export interface ToolHost {
  /** The call begins to run. */
  ran(sessionId: string | undefined, nonce: string, tool: string): void
  /** Changes the session from within its run. */
  act(sessionId: string | undefined, orders: CallOrders): Promise<void>
  /** Aborts the run. */
  stop(): void
}

const SCHEMA = {
  type: 'object',
  properties: { nonce: { type: 'string' }, ticks: { type: 'number' }, text: { type: 'string' } },
  required: ['nonce', 'ticks', 'text'],
} as const

/** How often a call of that tool may run before anybody outside was asked. */
export const runsUnasked = (name: string): number => (name === 'risky' ? 0 : 1)

/** Tools that answer, fail, ask, wait for an approval, meddle with their session and stop their run. */
export function sessionTools(host: ToolHost): Tool[] {
  const make = (
    name: string,
    execute: (orders: CallOrders, context: ToolContext) => unknown,
    needsApproval = false,
  ) =>
    tool({
      name,
      description: name,
      parameters: SCHEMA,
      needsApproval,
      async execute(args, context) {
        const orders = args as unknown as CallOrders
        host.ran(context.sessionId, orders.nonce, name)
        for (let tick = 0; tick < orders.ticks; tick++) await turn()
        return execute(orders, context)
      },
    })
  return [
    make('work', ({ text }) => ({ text })),
    make('fail', ({ text }) => {
      throw new Error(`failed: ${text}`)
    }),
    make('parts', ({ text }) => content([{ type: 'input_text', text }])),
    make('ask', async ({ nonce, times = 1 }, { ask }) => {
      const said: unknown[] = []
      for (let at = 0; at < times; at++) said.push(await ask({ nonce, question: at }))
      return { said }
    }),
    make('risky', ({ text }) => text, true),
    make('meddle', async (orders, { sessionId }) => {
      await host.act(sessionId, orders)
      return orders.text
    }),
    make('stop', ({ text }) => {
      host.stop()
      return text
    }),
  ]
}
