import { expect, test } from 'vitest'
import { checkBudget } from '../../src/compaction/check-budget.ts'
import type { ContextBudget } from '../../src/index.ts'

test('a right budget is answered as it is', () => {
  const budget = {
    maxItems: 1,
    maxApproxChars: 1,
    maxApproxTokens: 1,
    countTokens: () => 1,
    pinnedPrefixItems: 0,
    maxRecentToolResults: 0,
    trimOldReasoning: true,
  }
  expect(checkBudget(budget)).toBe(budget)
  expect(checkBudget({})).toEqual({})
})

test.each<[unknown, string]>([
  [null, 'options'],
  [{ maxItem: 1 }, 'There is no option "maxItem"'],
  [{ maxItems: 0 }, 'maxItems'],
  [{ maxApproxChars: 1.5 }, 'maxApproxChars'],
  [{ maxApproxTokens: '9' }, 'maxApproxTokens'],
  [{ pinnedPrefixItems: -1 }, 'pinnedPrefixItems'],
  [{ maxRecentToolResults: Number.NaN }, 'maxRecentToolResults'],
  [{ countTokens: 4 }, 'countTokens'],
  [{ trimOldReasoning: 'yes' }, 'trimOldReasoning'],
])('refuses %o', (budget, message) => {
  expect(() => checkBudget(budget as ContextBudget)).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    }),
  )
})
