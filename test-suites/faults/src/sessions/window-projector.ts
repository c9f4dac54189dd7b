import {
  type AgentItem,
  type ContextBudget,
  type ContextProjector,
  DefaultContextProjector,
  TypeAwareContextProjector,
} from '@holdfast/core'
import { pairingFaults } from './pairing.ts'

const PROJECTORS = {
  default: new DefaultContextProjector(),
  typeAware: new TypeAwareContextProjector(),
}

/** Projects as another does, and each time looks at the prompts of every window size from 1 to one more than all. */
export class WindowProjector implements ContextProjector {
  readonly faults: string[] = []
  windows = 0
  readonly #inner: ContextProjector

  constructor(inner: ContextProjector) {
    this.#inner = inner
  }

  project(items: readonly AgentItem[], budget: ContextBudget) {
    this.look(items, budget)
    const before = JSON.stringify(items)
    const made = this.#inner.project(items, budget)
    if (JSON.stringify(items) !== before) this.faults.push('a projection changed what it was given')
    this.#check('the prompt', made.items)
    return made
  }

  look(items: readonly AgentItem[], budget: ContextBudget = {}): void {
    const text = JSON.stringify(items)
    for (const [name, projector] of Object.entries(PROJECTORS)) {
      for (let maxItems = 1; maxItems <= items.length + 1; maxItems++) {
        this.windows++
        const { items: shown, report } = projector.project(items, { ...budget, maxItems })
        const what = `${name}, maxItems ${maxItems} of ${items.length}`
        this.#check(what, shown)
        if (!report.overBudget && shown.length > maxItems) {
          this.faults.push(`${what}: ${shown.length} items shown, and no word about it`)
        }
        if (report.itemsAfter !== shown.length) {
          this.faults.push(`${what}: the report counts ${report.itemsAfter} of ${shown.length}`)
        }
      }
    }
    if (JSON.stringify(items) !== text) this.faults.push('a projection changed what it was given')
  }

  #check(what: string, items: readonly AgentItem[]): void {
    for (const fault of pairingFaults(items)) this.faults.push(`${what}: ${fault}`)
  }
}
