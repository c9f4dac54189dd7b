import { type ContextBudget, StructuredCompactPolicy } from '@holdfast/core'

/** UTF-16 units for one token, as the budget counts them. */
const CHARS_PER_TOKEN = 4

/** What is finished becomes notes long before a prompt is full. */
export function compactPolicyFor(contextTokens: number): StructuredCompactPolicy {
  const chars = contextTokens * CHARS_PER_TOKEN
  return new StructuredCompactPolicy({
    maxApproxChars: Math.floor(chars * 0.6),
    // Characters decide: this many items are hardly ever shorter than that.
    maxItems: Math.max(40, Math.floor(contextTokens / 40)),
    keepRecentItems: Math.min(20, Math.max(4, Math.floor(contextTokens / 400))),
    maxSummaryChars: Math.floor(chars * 0.2),
  })
}

/** What `/compact` goes by: whoever asks for it wants little left. */
export const compactNow = new StructuredCompactPolicy({ keepRecentItems: 4 })

/** What is still too long is left out of one prompt, and stays in memory. */
export const budgetFor = (contextTokens: number): ContextBudget => ({
  maxApproxTokens: contextTokens,
  trimOldReasoning: true,
})
