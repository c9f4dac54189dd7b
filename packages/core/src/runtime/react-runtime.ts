import type { AgentMemory } from '../contracts/agent-memory.ts'
import type {
  AgentInput,
  AgentResult,
  AgentRuntime,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import type { AgentItem } from '../contracts/item.ts'
import type { AgentPrompt, ModelClient, ModelResult } from '../contracts/model-client.ts'
import { HoldfastError } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { type AbortWatch, watchAbort } from './abort.ts'
import { type FilledCall, fillCallIds, openCallIds, usedCallIds } from './call-ids.ts'
import { checkInput, checkRunOptions } from './check.ts'
import { type LifeWatch, watchLife } from './life.ts'
import { memoryKey } from './memory-key.ts'
import { checkModelResult, modelFailed, TOKEN_COUNTS } from './model-result.ts'
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
  readonly life: LifeWatch
}

const INTERRUPTED =
  'Interrupted: the process ended while this tool was running; its effect is unknown.'
const ABORTED = 'Aborted: the run was stopped before this tool finished; its effect is unknown.'
const NOT_RUN = 'Not run: the run failed before this tool was started.'

// Two runs over one memory would take each other's running calls for interrupted ones.
const running = new WeakSet<object>()

/** The loop: ask memory, ask the model, store, run the tools, store, until no call is left. It keeps no history of its own. */
export function reactRuntime(config: RuntimeConfig): AgentRuntime {
  return {
    async run(memory, input, options, sessionId) {
      checkRunOptions(options)
      const given = checkInput(input)
      const key = memoryKey(memory)
      if (running.has(key)) {
        throw new HoldfastError('CONFLICT', 'Another run is using this memory; wait for its end.')
      }
      running.add(key)
      const abort = watchAbort(options.signal)
      try {
        const life = watchLife(memory)
        return await loop({ config, memory, options, sessionId, abort, life }, given)
      } finally {
        abort.release()
        running.delete(key)
      }
    },
  }
}

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
  const { memory, life, abort } = run
  const items = await readItems(run)
  const inputItems = isRecord(input) ? [input] : Array.isArray(input) ? input : []
  for (const callId of openCallIds([...items, ...inputItems])) {
    await memory.addToolOutput(callId, INTERRUPTED)
    abort.check()
  }
  await memory.addUserInput(input)
  if (input != null && !(Array.isArray(input) && input.length === 0)) life.stored()
}

/** Items of this run's life, never of one that somebody else began after a deletion. */
async function readItems({ memory, abort, life }: Run): Promise<AgentItem[]> {
  const items = await abort.race(() => memory.getItems())
  await life.check()
  abort.check()
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
  { memory, abort, life }: Run,
  items: AgentItem[],
  calls: readonly FilledCall[],
): Promise<void> {
  await life.check()
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
  life.stored()
}

/** All calls at once; each output is stored as it completes. The first error waits for the other calls. */
async function runTools(run: Run, calls: readonly FilledCall[], step: number): Promise<void> {
  const { config, memory, options, sessionId, abort, life } = run
  const { signal } = abort
  const { context } = options
  await life.check()
  const errors: unknown[] = []
  const answerCall = async (call: FilledCall) => {
    const { callId } = call
    // Only the abort rejects here; what the tool still returns after it is dropped.
    const output = await abort
      .race(() => executeCall(config.tools, call, { callId, step, signal, sessionId, context }))
      .catch(() => ABORTED)
    try {
      await life.check()
      await memory.addToolOutput(callId, output)
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(calls.map(answerCall))
  if (errors.length > 0) throw errors[0]
  abort.check()
}
