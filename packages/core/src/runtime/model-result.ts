import type { ModelResult } from '../contracts/model-client.ts'
import { HoldfastError, nameOf } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { isFunctionCall } from '../memory/call-items.ts'

/** The counts of a `Usage`. */
export const TOKEN_COUNTS = ['inputTokens', 'outputTokens', 'totalTokens'] as const

/** `MODEL_FAILED` with what the client threw; its message may quote the prompt or a key, and is in the cause alone. */
export const modelFailed = (step: number, cause: unknown): HoldfastError =>
  new HoldfastError(
    'MODEL_FAILED',
    `The model call of step ${step} failed: ${nameOf(cause)} (see the cause).`,
    { cause },
  )

const everyIs = (list: unknown, is: (entry: Record<string, unknown>) => boolean): boolean =>
  Array.isArray(list) && list.every((entry) => isRecord(entry) && is(entry))

/** What of a client's answer is wrong; `undefined` if nothing is. */
export function faultOf(result: unknown): string | undefined {
  if (!isRecord(result)) return 'result'
  const { memoryItems, toolCalls, text, usage } = result as Partial<ModelResult>
  if (!everyIs(memoryItems, () => true)) return 'memoryItems'
  const ok = everyIs(
    toolCalls,
    ({ name, arguments: args, callId }) =>
      typeof name === 'string' && typeof args === 'string' && typeof (callId ?? '') === 'string',
  )
  // One for each function_call, or nobody knows which id belongs to which.
  if (!ok || toolCalls?.length !== memoryItems?.filter(isFunctionCall).length) return 'toolCalls'
  if (typeof text !== 'string') return 'text'
  if (usage === undefined) return undefined
  const counts = Object(usage)
  return TOKEN_COUNTS.every((key) => Number.isFinite(counts[key])) ? undefined : 'usage'
}

/** The answer with items of our own; throws where it is not a `ModelResult`, so that nothing of it is stored. */
export function checkModelResult(result: ModelResult): ModelResult {
  const fault = faultOf(result)
  if (fault) throw new TypeError(`the client answered a wrong ${fault}; see ModelResult.`)
  return { ...result, memoryItems: cloneJson(result.memoryItems, 'memoryItems') }
}
