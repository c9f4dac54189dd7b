import type { ContextBudget } from '../contracts/compaction.ts'
import { knownOptions, wrong } from '../errors.ts'
import { checkCount } from './check-count.ts'

/** Answers `budget`; `INVALID_ARGUMENT` where it is none, or names an option that does not exist. */
export function checkBudget(budget: ContextBudget): ContextBudget {
  const { maxItems, maxApproxChars, maxApproxTokens, pinnedPrefixItems, maxRecentToolResults } =
    knownOptions(budget, [
      'maxItems',
      'maxApproxChars',
      'maxApproxTokens',
      'countTokens',
      'pinnedPrefixItems',
      'maxRecentToolResults',
      'trimOldReasoning',
    ])
  checkCount({ maxItems, maxApproxChars, maxApproxTokens }, 1)
  checkCount({ pinnedPrefixItems, maxRecentToolResults }, 0)
  const { countTokens, trimOldReasoning = false } = budget
  if (countTokens !== undefined && typeof countTokens !== 'function') {
    throw wrong('countTokens', 'a function', countTokens)
  }
  if (typeof trimOldReasoning !== 'boolean') {
    throw wrong('trimOldReasoning', 'true or false', trimOldReasoning)
  }
  return budget
}
