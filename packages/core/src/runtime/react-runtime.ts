import type { AgentMemory, Persistent } from '../contracts/agent-memory.ts'
import type {
  AgentInput,
  AgentResult,
  AgentRuntime,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import type { AgentItem } from '../contracts/item.ts'
import type { AgentPrompt, ModelClient, ModelResult } from '../contracts/model-client.ts'
import { HoldfastError, invalid, kindOf } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { type AbortWatch, watchAbort } from './abort.ts'
import {
  answeredCallIds,
  type FilledCall,
  fillCallIds,
  openCallIds,
  usedCallIds,
} from './call-ids.ts'
import { checkInput, checkRunOptions } from './check.ts'
import { memoryKey } from './memory-key.ts'
import { checkModelResult, modelFailed, TOKEN_COUNTS } from './model-result.ts'
import { shared } from './shared.ts'
import { executeCall } from './tool-call.ts'
import type { Tool } from './tools.ts'

/** What every run of one agent shares; checked by `createAgent`. */
export interface RuntimeConfig {
  readonly modelClient: ModelClient
  /** What every prompt says; each call gets its own copy, with the items. */
  readonly prompt: Omit<AgentPrompt, 'items'>
  readonly tools: ReadonlyMap<string, Tool>
  readonly maxSteps: number
}

interface Run {
  readonly config: RuntimeConfig
  readonly memory: AgentMemory
  readonly options: RunOptions
  readonly sessionId: string | undefined
  readonly abort: AbortWatch
}

const INTERRUPTED =
  'Interrupted: the process ended while this tool was running; its effect is unknown.'
const ABORTED = 'Aborted: the run was stopped before this tool finished; its effect is unknown.'
const NOT_RUN = 'Not run: the run failed before this tool was started.'

/** The loop: ask memory, ask the model, store, run the tools, store, until no call is left. It keeps no history of its own. */
export function reactRuntime(config: RuntimeConfig): AgentRuntime {
  return {
    async run(memory, input, options, sessionId) {
      checkRunOptions(options)
      const given = checkInput(input)
      const key = memoryKey(memory)
      // Two runs over one memory would take each other's running calls for interrupted ones.
      const running = shared('running', () => new WeakSet<object>())
      if (running.has(key)) {
        throw new HoldfastError('CONFLICT', 'Another run is using this memory; wait for its end.')
      }
      const abort = watchAbort(options.signal)
      running.add(key)
      try {
        return await loop({ config, memory: pinned(memory), options, sessionId, abort }, given)
      } finally {
        running.delete(key)
        abort.release()
      }
    },
  }
}

/** RULE deleted stays deleted: a run never goes on in the life that somebody else began after a deletion. */
const pinned = (memory: AgentMemory & Partial<Persistent>): AgentMemory => memory.pin?.() ?? memory

async function loop(run: Run, input: AgentInput): Promise<AgentResult> {
  await begin(run, input)
  const done = { text: '', steps: 0, usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }
  const maxSteps = run.options.maxSteps ?? run.config.maxSteps
  while (done.steps < maxSteps) {
    const step = done.steps
    const items = await readItems(run)
    const used = usedCallIds(items)
    const result = await callModel(run, items, step)
    done.steps++
    done.text = result.text
    for (const key of TOKEN_COUNTS) done.usage[key] += result.usage?.[key] ?? 0
    const answer = fillCallIds(result.memoryItems, result.toolCalls, used, step)
    await storeAnswer(run, answer.items, answer.calls)
    if (answer.calls.length === 0) {
      run.abort.check()
      return { status: 'completed', ...done, interruptions: [] }
    }
    await runTools(run, answer.calls, step)
  }
  throw new HoldfastError(
    'LIMIT_EXCEEDED',
    `No final answer after ${maxSteps} steps; go on with run(null), or raise maxSteps.`,
    { limit: 'steps', partial: done },
  )
}

/** Repairs what a killed process left behind, then stores the input: durable before the first model call. */
async function begin(run: Run, input: AgentInput): Promise<void> {
  const given = isRecord(input) ? [input] : Array.isArray(input) ? input : []
  const items = await readItems(run)
  const open = openCallIds(items)
  const answered = answeredCallIds(given)
  await interrupt(
    run,
    open.filter((callId) => !answered.has(callId)),
  )
  await run.memory.addUserInput(input)
  // A call that came in with the input has an output neither here nor there.
  const closed = new Set([...open, ...answeredCallIds(items)])
  await interrupt(
    run,
    openCallIds(given).filter((callId) => !closed.has(callId)),
  )
}

async function interrupt({ memory, abort }: Run, callIds: readonly string[]): Promise<void> {
  for (const callId of callIds) {
    await memory.addToolOutput(callId, INTERRUPTED)
    abort.check()
  }
}

async function readItems({ memory, abort }: Run): Promise<AgentItem[]> {
  const items = await abort.race(() => memory.getItems())
  if (!Array.isArray(items)) throw invalid(`getItems must answer an array, got ${kindOf(items)}.`)
  return items
}

async function callModel(run: Run, items: AgentItem[], step: number): Promise<ModelResult> {
  const { config, abort } = run
  const prompt = { ...cloneJson(config.prompt, 'prompt'), items }
  try {
    const ask = async () => config.modelClient.create(prompt, { signal: abort.signal })
    return checkModelResult(await abort.race(ask))
  } catch (error) {
    abort.check()
    throw modelFailed(step, error)
  }
}

/** One atomic append, before any of its tools starts. */
async function storeAnswer(
  { memory, abort }: Run,
  items: AgentItem[],
  calls: readonly FilledCall[],
): Promise<void> {
  abort.check()
  try {
    await memory.addOutputItems(items)
  } catch (error) {
    // The calls are stored, but the run ends here: without outputs the next model call would be refused.
    if (isRecord(error) && error['outcome'] === 'committed') {
      await Promise.allSettled(calls.map(({ callId }) => memory.addToolOutput(callId, NOT_RUN)))
    }
    throw error
  }
}

/** All calls at once; each output is stored as it completes. The first error waits for the other calls. */
async function runTools(run: Run, calls: readonly FilledCall[], step: number): Promise<void> {
  const { config, memory, options, sessionId, abort } = run
  const { signal } = abort
  const { context } = options
  const errors: unknown[] = []
  const answerCall = async (call: FilledCall) => {
    const { callId } = call
    // Only the abort rejects here; what the tool still returns after it is dropped.
    const output = await abort
      .race(() => executeCall(config.tools, call, { callId, step, signal, sessionId, context }))
      .catch(() => ABORTED)
    try {
      await memory.addToolOutput(callId, output)
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(calls.map(answerCall))
  if (errors.length > 0) throw errors[0]
  abort.check()
}
