import type { Usage } from '@holdfast/core'
import { isRecord } from '@holdfast/core/model-client'

/** The token counts of an answer by the API's names for them; `undefined` where it has none. */
export function usageOf(usage: unknown, input: string, output: string): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const inputTokens = count(usage[input])
  const outputTokens = count(usage[output])
  const totalTokens = count(usage['total_tokens']) || inputTokens + outputTokens
  return { inputTokens, outputTokens, totalTokens }
}

const count = (value: unknown): number => (Number.isFinite(value) ? Number(value) : 0)
