/** Begins a run of ten steps, or goes on with the one that was killed, and notes outside what it does. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type AgentItem,
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  type ModelClient,
  scriptedModel,
  tool,
} from '@holdfast/core'
import { openBackend, type SharedBackend } from './backends.ts'
import { orders } from './child.ts'

export interface RunOrders {
  readonly backend: SharedBackend
  readonly path: string
  readonly session: string
  /** Where the memory is: in the process, saved with `autosave: 'sync'`, or durable, with `step`. */
  readonly memory: 'sync' | 'step'
  /** One line for each call that begins: `ran <session> <call>`; and `rerun …` before it is let run again. */
  readonly effects: string
  /** One line for each prompt: the JSON of its items. */
  readonly prompts: string
  /** Longest time of one tool, in ms. */
  readonly toolMs: number
}

export const STEPS = 10
export const CALLS = 3
export const LAST = 'All ten steps are done.'

const { backend, path, session: id, memory, effects, prompts, toolMs } = await orders<RunOrders>()
const say = (line: string) => writeSync(1, `${line}\n`)
say('started')

/** Written through to the disk before it returns: what was done outside cannot be taken back. */
function note(file: string, line: string): void {
  const handle = openSync(file, 'a')
  writeSync(handle, `${line}\n`)
  fsyncSync(handle)
  closeSync(handle)
}

/** The same answer for the same memory, so that it goes on in any process. */
const model: ModelClient = {
  create(prompt, options) {
    note(prompts, JSON.stringify(prompt.items))
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
}

const effect = tool({
  name: 'effect',
  description: 'Does something outside that cannot be undone.',
  parameters: {
    type: 'object',
    properties: { step: { type: 'number' }, index: { type: 'number' } },
  },
  async execute({ step, index }, { callId }) {
    note(effects, `ran ${id} ${callId}`)
    say(`ran ${callId}`)
    await wait(Math.random() * toolMs)
    return `result ${step}.${index}`
  },
})

const { driver, close } = await openBackend(backend, path)
const storage = createStorage(driver)
const agent = createAgent({
  modelClient: model,
  model: 'scripted',
  tools: [effect],
  sessionStore: storage.sessions(),
  memorySupplier: (name) => (memory === 'step' ? storage.memory(name) : new InMemoryAgentMemory()),
  autosave: memory,
})
const session = await agent.session(id)
const { items } = await session.memory.snapshot()
const isOver = JSON.stringify(items.at(-1) ?? null).includes(LAST)
if (!isOver) {
  for (const { callId, state } of await session.pending()) {
    say(`pending ${callId} ${state}`)
    note(effects, `rerun ${id} ${callId}`)
    await session.answer(callId, { rerun: true })
  }
  const { status } = await session.run(items.length === 0 ? 'Do the ten steps.' : null)
  if (status !== 'completed') throw new Error(`the run ended as ${status}`)
}
await session.flush()
close()
say('completed')
