import type { ContextBudget } from '../contracts/compaction.ts'
import { knownOptions, wrong } from '../errors.ts'
import { checkCount } from './check-count.ts'

const LEAST = {
  maxItems: 1,
  maxApproxChars: 1,
  maxApproxTokens: 1,
  pinnedPrefixItems: 0,
  maxRecentToolResults: 0,
}

/** Answers `budget`; `INVALID_ARGUMENT` where it is none, or names an option that does not exist. */
export function checkBudget(budget: ContextBudget): ContextBudget {
  const counts = Object.keys(LEAST) as (keyof typeof LEAST)[]
  knownOptions(budget, [...counts, 'countTokens', 'trimOldReasoning'])
  for (const name of counts) checkCount(name, budget[name], LEAST[name])
  const { countTokens, trimOldReasoning } = budget
  if (!['undefined', 'function'].includes(typeof countTokens)) {
    throw wrong('countTokens', 'a function', countTokens)
  }
  if (!['undefined', 'boolean'].includes(typeof trimOldReasoning)) {
    throw wrong('trimOldReasoning', 'true or false', trimOldReasoning)
  }
  return budget
}
