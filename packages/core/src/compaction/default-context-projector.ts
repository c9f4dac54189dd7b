import type { ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { projectContext } from './project-context.ts'

/**
 * Makes prompts that a model accepts, and leaves out the oldest items until the budget is kept. An answer of
 * the model and the outputs of its calls are left out together. The summary, pinned items and the unfinished
 * turn are always shown whole.
 */
export class DefaultContextProjector implements ContextProjector {
  project(
    items: readonly AgentItem[],
    budget: ContextBudget,
  ): ReturnType<ContextProjector['project']> {
    return projectContext(items, budget, false)
  }
}
