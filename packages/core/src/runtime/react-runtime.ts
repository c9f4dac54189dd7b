import { watchAbort } from '../abort.ts'
import { isDue } from '../compaction/is-due.ts'
import type { AgentResult, AgentRuntime } from '../contracts/agent-runtime.ts'
import type { AgentItem } from '../contracts/item.ts'
import { HoldfastError, nameOf } from '../errors.ts'
import { isRecord } from '../json.ts'
import { type FilledCall, fillCallIds, usedCallIds } from '../memory/call-items.ts'
import { pendingCalls } from '../sessions/pending-calls.ts'
import { beginRun } from './begin-run.ts'
import { checkInput, checkRunOptions } from './check.ts'
import { callModel } from './model-call.ts'
import { modelFailed, TOKEN_COUNTS } from './model-result.ts'
import { readItems } from './read-items.ts'
import { type Done, placeOf, type Run, type RuntimeConfig } from './run.ts'
import { runTools } from './run-tools.ts'
import { shared } from './shared.ts'

const NOT_RUN = 'Not run: the run failed before this tool was started.'

/** The loop: ask memory, ask the model, store, run the tools, store, until no call is left. It keeps no history of its own. */
export function reactRuntime(config: RuntimeConfig): AgentRuntime {
  return {
    async run(host, input, options) {
      checkRunOptions(options)
      const given = checkInput(input)
      // Two runs over one memory would take each other's running calls for interrupted ones.
      const running = shared('running', () => new WeakSet<object>())
      if (running.has(host.key)) {
        throw new HoldfastError('CONFLICT', 'Another run is using this memory; wait for its end.', {
          outcome: 'not-committed',
        })
      }
      const done: Done = {
        text: '',
        steps: 0,
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      }
      const { timeoutMs = config.timeoutMs } = options
      const abort = watchAbort(options.signal, { timeoutMs, partial: () => structuredClone(done) })
      const runId = crypto.randomUUID()
      const run: Run = { config, host, options, abort, runId, done }
      running.add(host.key)
      try {
        return await loop(run, await beginRun(run, given))
      } catch (error) {
        const code = nameOf(error)
        const message = error instanceof HoldfastError ? error.message : code
        host.publish('ERROR', { code, message, during: 'run' }, placeOf(run))
        throw error
      } finally {
        running.delete(host.key)
        abort.release()
      }
    },
  }
}

/** `open`: some calls may have no output. */
async function loop(run: Run, open: boolean): Promise<AgentResult> {
  const { host, done } = run
  for (let waits = open; ; ) {
    const stateOf = (callId: string) => host.callState(callId)
    const pending = waits ? pendingCalls(await readItems(run), stateOf) : []
    if (pending.length > 0) {
      // They wait for somebody outside: the run ends there, and whoever is told so may end the process at once.
      await run.abort.race(() => host.saved('claim'))
      return { status: 'interrupted', ...done, interruptions: pending }
    }
    refuseBeyondLimits(run)
    const step = done.steps
    const place = placeOf(run, step)
    host.publish('STEP_START', {}, place)
    await autoCompact(run, step)
    const items = await readItems(run)
    // Now: what hooks and projectors do to the list must not free an id.
    const used = usedCallIds(items)
    const result = await callModel(run, items, step)
    done.steps++
    done.text = result.text
    for (const key of TOKEN_COUNTS) done.usage[key] += result.usage?.[key] ?? 0
    const answer = fillCallIds(result.memoryItems, result.toolCalls, used, step)
    await storeAnswer(run, answer.items, answer.calls, step)
    waits = await runTools(run, answer.calls, step)
    const final = answer.calls.length === 0 ? await finish(run, result.text, step) : undefined
    host.publish('STEP_END', { calls: answer.calls.length }, place)
    await run.abort.race(() => host.saved('step'))
    if (final) return final
  }
}

async function finish(run: Run, text: string, step: number): Promise<AgentResult> {
  const { config, host, done, abort } = run
  const result: AgentResult = { status: 'completed', ...done, interruptions: [] }
  let parsed = {}
  const { output } = config
  if (output) {
    try {
      parsed = { output: await abort.race(async () => output.parse(text)) }
    } catch (error) {
      abort.check()
      throw modelFailed(step, error)
    }
  }
  host.publish('FINAL_OUTPUT', { text, ...parsed }, placeOf(run, step))
  return { ...result, ...parsed }
}

function refuseBeyondLimits({ config, options, done }: Run): void {
  const { maxSteps = config.maxSteps, maxTokens = config.maxTokens ?? Infinity } = options
  const limit =
    done.steps >= maxSteps ? 'steps' : done.usage.totalTokens >= maxTokens ? 'tokens' : undefined
  if (!limit) return
  const reached = limit === 'steps' ? `${maxSteps} steps` : `${maxTokens} tokens`
  throw new HoldfastError(
    'LIMIT_EXCEEDED',
    `No final answer after ${reached}; go on with run(null), or raise the limit.`,
    { limit, partial: structuredClone(done) },
  )
}

/** A compaction that fails leaves the memory as it is, and the run goes on. */
async function autoCompact(run: Run, step: number): Promise<void> {
  const { config, host, abort } = run
  const policy = config.compactPolicy
  if (!policy) return
  const place = placeOf(run, step)
  try {
    const snapshot = await abort.race(() => host.snapshot())
    if (!isDue(policy, snapshot)) return
    await abort.race(() => host.compact(policy, { signal: abort.signal }, place))
  } catch (error) {
    abort.check()
    const code = nameOf(error)
    const message = 'The compaction failed; the run goes on uncompacted.'
    host.publish('ERROR', { code, message, during: 'compaction' }, place)
  }
}

/** One atomic append, before any of its tools starts. */
async function storeAnswer(
  run: Run,
  items: AgentItem[],
  calls: readonly FilledCall[],
  step: number,
): Promise<void> {
  const { host, abort } = run
  abort.check()
  const place = placeOf(run, step)
  try {
    await host.addOutputItems(items, place)
  } catch (error) {
    // The calls are stored, but the run ends here: without outputs the next model call would be refused.
    if (isRecord(error) && error['outcome'] === 'committed') {
      const about = { ok: false, error: 'not run' }
      await Promise.allSettled(calls.map((call) => host.addToolOutput(call, NOT_RUN, about, place)))
    }
    throw error
  }
}
