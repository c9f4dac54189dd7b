import type { ModelResult, Usage } from '../contracts/model-client.ts'
import { HoldfastError } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'
import { isFunctionCall } from './call-ids.ts'
import { messageOf } from './message-of.ts'

/** `MODEL_FAILED` with what the client threw. */
export const modelFailed = (step: number, cause: unknown): HoldfastError =>
  new HoldfastError('MODEL_FAILED', `The model call of step ${step} failed: ${messageOf(cause)}`, {
    cause,
  })

/** What is wrong with a client's answer; `undefined` if nothing is. */
function faultOf(result: unknown): string | undefined {
  if (!isRecord(result)) return 'the client answered no ModelResult'
  const { memoryItems, toolCalls, text, usage } = result
  if (!Array.isArray(memoryItems) || !memoryItems.every(isRecord)) {
    return 'memoryItems is not an array of items'
  }
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall)) {
    return 'toolCalls is not an array of { callId?, name, arguments } with text as arguments'
  }
  if (typeof text !== 'string') return 'text is not a string'
  if (usage !== undefined && !isUsage(usage)) return 'usage does not hold three token counts'
  const expected = memoryItems.filter(isFunctionCall).length
  if (expected !== toolCalls.length) {
    return `memoryItems has ${expected} function_call items, but toolCalls has ${toolCalls.length}`
  }
  return undefined
}

const isToolCall = (call: unknown): boolean =>
  isRecord(call) &&
  typeof call['name'] === 'string' &&
  typeof call['arguments'] === 'string' &&
  (call['callId'] == null || typeof call['callId'] === 'string')

const isUsage = (usage: unknown): usage is Usage =>
  isRecord(usage) &&
  ['inputTokens', 'outputTokens', 'totalTokens'].every((key) => Number.isFinite(usage[key]))

/** The answer with items of our own; `MODEL_FAILED` where it is not a `ModelResult`, so that nothing of it is stored. */
export function checkModelResult(result: ModelResult, step: number): ModelResult {
  const fault = faultOf(result)
  if (fault) throw modelFailed(step, new TypeError(`${fault}.`))
  try {
    return { ...result, memoryItems: cloneJson(result.memoryItems, 'memoryItems') }
  } catch (error) {
    throw modelFailed(step, error)
  }
}
