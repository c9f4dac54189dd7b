import type { ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { ContextProjection } from './context-projection.ts'
import { reportOf, sizeOf } from './context-report.ts'
import { isInput } from './paired-items.ts'

/**
 * What both projectors share. `turns`: leave out whole turns, and before that old reasoning and the greater
 * part of old tool outputs, each from the oldest on; else unit by unit.
 */
export function projectContext(
  items: readonly AgentItem[],
  budget: ContextBudget,
  turns: boolean,
): ReturnType<ContextProjector['project']> {
  const { maxRecentToolResults, trimOldReasoning } = budget
  const prompt = new ContextProjection(items, budget)
  const { old } = prompt

  if (trimOldReasoning) for (const unit of old) prompt.trim(unit)
  if (maxRecentToolResults !== undefined) {
    let keep = maxRecentToolResults
    for (const unit of old.toReversed()) keep = prompt.shorten(unit, keep)
  }
  if (turns) {
    for (const unit of old) if (prompt.over()) prompt.trim(unit)
    for (const unit of old) if (prompt.over()) prompt.shorten(unit, 0)
  }
  let drop = false
  let afterInput = true
  for (const unit of old) {
    const input = unit.items.some(isInput)
    // A turn goes whole: once it began to go, only the next one asks again.
    if (!turns || !drop || (input && !afterInput)) drop = prompt.over()
    afterInput = input
    if (drop) prompt.replace(unit, [])
  }
  const { dropped, truncated } = prompt
  return {
    items: prompt.items,
    report: reportOf(sizeOf(items, budget.countTokens), prompt.total, {
      dropped,
      truncated,
      repairs: prompt.repairs.lines(),
      overBudget: prompt.over(),
    }),
  }
}
