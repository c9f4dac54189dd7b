import {
  type AgentItem,
  createAgent,
  functionCallOutput,
  InMemoryAgentMemory,
  type ModelClient,
  type ModelResult,
  tool,
  userMessage,
} from '@holdfast/core'
import { messages } from './bytes.ts'
import { interleave, processorTime, type Side } from './rounds.ts'
import type { Effort } from './scenarios/compared.ts'
import { ratios, type Spread, spreadOf } from './statistics.ts'

/** Model calls of one run; each but the last makes `CALLS` tool calls. */
const STEPS = 10
const CALLS = 2
/** Runs by hand in one round: one alone is over before a clock has seen it. */
const HAND_RUNS = 50
const ITEM_BYTES = 200

/** Items in memory before the run. */
export const HISTORIES = [0, 200] as const

export interface RuntimeResult {
  /** µs of processor time per step by items before the run: a one-off run, a session's, and by hand. */
  readonly at: Readonly<
    Record<
      number,
      {
        readonly run: Spread
        readonly session: Spread
        readonly byHand: Spread
        /** Run against by hand, and session against by hand. */
        readonly runRatio: Spread
        readonly sessionRatio: Spread
      }
    >
  >
  /** Events of one run through `session.stream`. */
  readonly events: number
  /** µs of processor time per event, the run and the reading of the stream together. */
  readonly event: Spread
}

const schema = { type: 'object', properties: { text: { type: 'string' } } } as const
const look = ({ text }: { text: string }) => `seen: ${text}`

const results: readonly ModelResult[] = Array.from({ length: STEPS }, (_, step) => {
  const last = step === STEPS - 1
  const calls = Array.from({ length: last ? 0 : CALLS }, (_, index) => ({
    callId: `call_${step}_${index}`,
    name: 'look',
    arguments: JSON.stringify({ text: 'lorem ipsum '.repeat(10) }),
  }))
  const answer: AgentItem = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: `step ${step}` }],
  }
  return {
    memoryItems: [
      answer,
      ...calls.map(({ callId, name, arguments: args }) => {
        return { type: 'function_call', call_id: callId, name, arguments: args }
      }),
    ],
    toolCalls: calls,
    text: `step ${step}`,
  }
})

/** Answers at once, the same in every run. */
function fixedModel(): ModelClient {
  let call = 0
  return { create: async () => results[call++ % STEPS] as ModelResult }
}

const modelOf = (client: ModelClient) =>
  createAgent({
    modelClient: client,
    model: 'fixed',
    tools: [tool({ name: 'look', description: 'Looks.', parameters: schema, execute: look })],
    memorySupplier: () => new InMemoryAgentMemory(),
  })

/** What a program without a framework does: a list of items, the model, the tools. */
async function byHand(client: ModelClient, history: readonly AgentItem[]): Promise<string> {
  const items = [...history, userMessage('go')]
  const tools = [{ name: 'look', description: 'Looks.', parameters: schema }]
  for (;;) {
    const result = await client.create({ model: 'fixed', items: [...items], tools }, {})
    items.push(...result.memoryItems)
    if (result.toolCalls.length === 0) return result.text
    const outputs = await Promise.all(
      result.toolCalls.map(async ({ callId, arguments: args }) =>
        functionCallOutput(callId as string, look(JSON.parse(args))),
      ),
    )
    items.push(...outputs)
  }
}

/** The loop against the same calls by hand, and the events that it shows through `stream`. No I/O anywhere. */
export async function runtimeAlone(effort: Effort): Promise<RuntimeResult> {
  const agent = modelOf(fixedModel())
  const sides: Record<string, Side> = {}
  for (const size of HISTORIES) {
    const items = messages(size, ITEM_BYTES)
    const restored = async () => {
      const session = await agent.newSession()
      await session.restore({ items })
      return session
    }
    sides[`hand ${size}`] = {
      operations: HAND_RUNS * STEPS,
      prepare: async () => {
        const client = fixedModel()
        return async () => {
          for (let run = 0; run < HAND_RUNS; run++) await byHand(client, items)
        }
      },
    }
    sides[`run ${size}`] = {
      operations: STEPS,
      prepare: async () => {
        const memory = new InMemoryAgentMemory()
        await memory.restore({ items })
        return () => agent.run('go', { memory })
      },
    }
    sides[`session ${size}`] = {
      operations: STEPS,
      prepare: async () => {
        const session = await restored()
        return () => session.run('go')
      },
    }
  }
  const probe = await agent.newSession()
  let events = 0
  for await (const part of probe.stream('go')) if ('sequence' in part) events++
  sides['stream'] = {
    operations: events,
    prepare: async () => {
      const session = await agent.newSession()
      return async () => {
        let seen = 0
        for await (const part of session.stream('go')) if ('sequence' in part) seen++
        if (seen !== events) throw new Error(`${seen} events instead of ${events}`)
      }
    },
  }
  const measured = await interleave(sides, effort, processorTime)
  const of = (name: string) => measured[name] ?? []
  return {
    at: Object.fromEntries(
      HISTORIES.map((size) => {
        const [hand, run, session] = [of(`hand ${size}`), of(`run ${size}`), of(`session ${size}`)]
        return [
          size,
          {
            byHand: spreadOf(hand),
            run: spreadOf(run),
            session: spreadOf(session),
            runRatio: spreadOf(ratios(run, hand)),
            sessionRatio: spreadOf(ratios(session, hand)),
          },
        ]
      }),
    ),
    events,
    event: spreadOf(of('stream')),
  }
}
