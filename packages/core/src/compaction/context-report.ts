import type { ContextReport } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { wrong } from '../errors.ts'
import { synchronous } from './synchronous.ts'

/** How much a list of items takes. */
export interface ContextSize {
  items: number
  chars: number
  tokens: number
}

export const sizeOf = (
  items: readonly AgentItem[],
  countTokens = (text: string): number => Math.ceil(text.length / 4),
): ContextSize => {
  const size = { items: items.length, chars: 0, tokens: 0 }
  for (const item of items) {
    const text = JSON.stringify(item)
    size.chars += text.length
    size.tokens += checkTokens(countTokens(text))
  }
  return size
}

/** One wrong count would make the total `NaN`, which no budget holds back. */
function checkTokens(answer: number): number {
  const count = synchronous('countTokens', answer)
  if (Number.isFinite(count) && count >= 0) return count
  throw wrong('The answer of countTokens', 'a finite number from 0', count)
}

export const reportOf = (
  before: ContextSize,
  after: ContextSize,
  done: Partial<ContextReport>,
): ContextReport => ({
  itemsBefore: before.items,
  itemsAfter: after.items,
  approxCharsBefore: before.chars,
  approxCharsAfter: after.chars,
  approxTokensAfter: after.tokens,
  dropped: 0,
  truncated: 0,
  repairs: [],
  overBudget: false,
  ...done,
})
