import type { ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { projectContext } from './project-context.ts'

/**
 * As `DefaultContextProjector`, but what is worth least goes first: of finished turns the reasoning, then the
 * greater part of tool outputs, then whole turns; of each the oldest first, and only until the budget is kept.
 */
export class TypeAwareContextProjector implements ContextProjector {
  project(
    items: readonly AgentItem[],
    budget: ContextBudget,
  ): ReturnType<ContextProjector['project']> {
    return projectContext(items, budget, true)
  }
}
