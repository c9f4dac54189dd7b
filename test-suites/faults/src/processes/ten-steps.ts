import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentItem,
  createAgent,
  InMemoryAgentMemory,
  type ModelClient,
  type Storage,
  scriptedModel,
  tool,
} from '@holdfast/core'

const STEPS = 10
const CALLS = 3
const LAST = 'All ten steps are done.'

/** How many items a whole run leaves: the input, a reasoning, calls and outputs per step, and the last answer. */
export const ITEMS = 1 + (STEPS - 1) * (1 + 2 * CALLS) + 2

/** A run of ten steps with three parallel tools each, which anybody can go on with. */
export interface TenSteps {
  readonly storage: Storage
  readonly session: string
  /** Where the memory is: in the process, saved with `autosave: 'sync'`, or durable, with `step`. */
  readonly memory: 'sync' | 'step'
  /** Longest time of one tool, in ms. */
  readonly toolMs: number
  /** Called with the items of each prompt, as JSON. */
  onPrompt(items: string): void
  /** Called as a tool begins. */
  onRun(callId: string): void
  /** Called before a call that waits is let run again. */
  onRerun(callId: string, state: string): void
}

/** The same answer for the same memory, so that it goes on in any process. */
const modelOf = (onPrompt: TenSteps['onPrompt']): ModelClient => ({
  create(prompt, options) {
    onPrompt(JSON.stringify(prompt.items))
    const calls = prompt.items.filter(({ type }) => type === 'function_call').length
    const step = calls / CALLS
    const reasoning: AgentItem = { type: 'reasoning', id: `rs_${step}`, summary: [] }
    const turn =
      step === STEPS - 1
        ? { items: [reasoning], text: LAST }
        : {
            items: [reasoning],
            calls: Array.from({ length: CALLS }, (_, index) => ({
              name: 'effect',
              callId: `call_${step}_${index}`,
              arguments: { step, index },
            })),
          }
    return scriptedModel([turn]).create(prompt, options)
  },
})

/** Begins the run, or goes on with it where it stopped; resolves when it is over and saved. */
export async function tenSteps(run: TenSteps): Promise<void> {
  const { storage, memory, toolMs } = run
  const effect = tool({
    name: 'effect',
    description: 'Does something outside that cannot be undone.',
    parameters: {
      type: 'object',
      properties: { step: { type: 'number' }, index: { type: 'number' } },
    },
    async execute({ step, index }, { callId }) {
      run.onRun(callId)
      await wait(Math.random() * toolMs)
      return `result ${step}.${index}`
    },
  })
  const agent = createAgent({
    modelClient: modelOf(run.onPrompt),
    model: 'scripted',
    tools: [effect],
    sessionStore: storage.sessions(),
    memorySupplier: (id) => (memory === 'step' ? storage.memory(id) : new InMemoryAgentMemory()),
    autosave: memory,
  })
  const session = await agent.session(run.session)
  const { items } = await session.memory.snapshot()
  const isOver = JSON.stringify(items.at(-1) ?? null).includes(LAST)
  if (!isOver) {
    for (const { callId, state } of await session.pending()) {
      run.onRerun(callId, state)
      await session.answer(callId, { rerun: true })
    }
    const { status } = await session.run(items.length === 0 ? 'Do the ten steps.' : null)
    if (status !== 'completed') throw new Error(`the run ended as ${status}`)
  }
  await session.flush()
}
