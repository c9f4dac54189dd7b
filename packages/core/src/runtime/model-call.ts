import { synchronous } from '../compaction/synchronous.ts'
import type { AgentItem } from '../contracts/item.ts'
import type { AgentPrompt, ModelDelta, ModelResult } from '../contracts/model-client.ts'
import { nameOf } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { ensure } from './check.ts'
import { applyHooks } from './hooks.ts'
import { checkModelResult, modelFailed } from './model-result.ts'
import { retryDelay } from './model-retry.ts'
import { infoOf, placeOf, type Run } from './run.ts'

/** Makes the prompt of a step out of what memory gave, and asks the model; memory never changes by it. */
export async function callModel(run: Run, items: AgentItem[], step: number): Promise<ModelResult> {
  const { config, host, abort } = run
  const { hooks } = config
  const shown = await abort.race(() =>
    applyHooks(hooks, 'beforePrompt', { ...infoOf(run, step), items }),
  )
  const { items: fitted, report } = project(run, shown.items)
  if (report.dropped + report.truncated + report.repairs.length > 0 || report.overBudget) {
    host.publish('MEMORY_COMPRESS', { report: { ...report } }, placeOf(run, step))
  }
  const made = { ...(await promptOf(run, step)), items: [...fitted] }
  const { prompt } = await abort.race(() =>
    applyHooks(hooks, 'afterPrompt', { ...infoOf(run, step), prompt: made, report }),
  )
  const counts = { model: prompt.model, items: prompt.items.length, tools: prompt.tools.length }
  host.publish('MODEL_REQUEST', counts, placeOf(run, step))
  const answer = await withRetries(run, step, prompt)
  // A hook's word is not the model's failure: there is no second attempt.
  const after = { ...infoOf(run, step), result: answer }
  const changed = await abort.race(() => applyHooks(hooks, 'afterModel', after))
  const result = changed.result === answer ? answer : checkModelResult(changed.result)
  const { usage, finishReason, toolCalls } = result
  const about = { ...(usage && { usage: { ...usage } }), ...(finishReason && { finishReason }) }
  host.publish('MODEL_RESPONSE', { ...about, calls: toolCalls.length }, placeOf(run, step))
  return result
}

function project({ config: { projector, budget } }: Run, items: AgentItem[]) {
  const answer = synchronous('projector.project', projector.project(items, budget))
  const ok = isRecord(answer) && Array.isArray(answer.items) && isRecord(answer.report)
  ensure(ok, 'The answer of project', '{ items, report }', answer)
  return answer
}

async function promptOf(run: Run, step: number): Promise<Omit<AgentPrompt, 'items'>> {
  const { config, abort } = run
  const { instructions } = config
  const base = cloneJson(config.prompt, 'prompt')
  if (typeof instructions !== 'function') return base
  const text = await abort.race(async () => instructions(infoOf(run, step)))
  return text == null ? base : { ...base, instructions: String(text) }
}

/** What was stored stays untouched by a retry: nothing of an answer is kept before it is whole. */
async function withRetries(run: Run, step: number, prompt: AgentPrompt): Promise<ModelResult> {
  const { config, host, abort } = run
  // What a client does to its prompt must not reach the next attempt.
  const text = config.modelRetries > 0 ? JSON.stringify(prompt) : ''
  for (let attempt = 0; ; attempt++) {
    const seen = { pieces: 0 }
    const own: AgentPrompt = attempt === 0 ? prompt : JSON.parse(text)
    const { prompt: sent } = await abort.race(() =>
      applyHooks(config.hooks, 'beforeModel', { ...infoOf(run, step), prompt: own, attempt }),
    )
    try {
      return checkModelResult(await ask(run, sent, step, seen))
    } catch (error) {
      abort.check()
      // What somebody has read cannot be taken back.
      const delayMs = seen.pieces > 0 ? undefined : retryDelay(error, attempt)
      if (attempt >= config.modelRetries || delayMs === undefined) throw modelFailed(step, error)
      const told = { attempt: attempt + 1, delayMs, error: nameOf(error) }
      host.publish('MODEL_RETRY', told, placeOf(run, step))
      await abort.race(() => sleep(delayMs, abort.signal))
    }
  }
}

async function ask(
  { config: { modelClient }, host: { onDelta }, abort }: Run,
  prompt: AgentPrompt,
  step: number,
  seen: { pieces: number },
): Promise<ModelResult> {
  const { signal } = abort
  if (!onDelta || !modelClient.stream) {
    const result = await abort.race(async () => modelClient.create(prompt, { signal }))
    if (isRecord(result) && result.text) onDelta?.({ type: 'TEXT_DELTA', text: result.text, step })
    return result
  }
  const pieces = modelClient.stream(prompt, { signal })[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await abort.race(async () => pieces.next())
      if (done) {
        throw Object.assign(new Error('The stream ended without a result.'), { retryable: true })
      }
      const delta = value as ModelDelta
      if (delta.type === 'result') return delta.result
      seen.pieces++
      const type = delta.type === 'text' ? 'TEXT_DELTA' : 'REASONING_DELTA'
      onDelta({ type, text: delta.text, step })
    }
  } finally {
    // Not awaited: a client that hangs must not hold up the end of the run.
    ;(async () => pieces.return?.())().catch(() => {})
  }
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
