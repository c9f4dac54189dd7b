import type { ContextBudget } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { sizeOf } from './context-report.ts'
import { cutText, textOf } from './cut-text.ts'
import { finishedLength } from './finished-length.ts'
import { isReasoning, roleOf, sideOf, takesText } from './paired-items.ts'
import { type PromptUnit, promptUnits, withoutId } from './prompt-units.ts'
import { RepairCounts } from './repair-counts.ts'

/** How much of an old tool output is still shown, in UTF-16 units. */
const MAX_OLD_OUTPUT = 200

/** A prompt while it is made smaller. */
export class ContextProjection {
  /** The units that may be made smaller or left out, the oldest first. */
  readonly old: readonly PromptUnit[]
  readonly repairs = new RepairCounts()
  readonly total
  dropped = 0
  readonly #budget: ContextBudget
  readonly #summary: readonly AgentItem[]
  readonly #units: readonly PromptUnit[]
  readonly #cut = new Set<AgentItem>()

  constructor(items: readonly AgentItem[], budget: ContextBudget) {
    this.#budget = budget
    this.#summary = items.slice(0, items[0] && roleOf(items[0]) === 'system' ? 1 : 0)
    this.total = this.#size(this.#summary)
    this.#units = promptUnits(items.slice(this.#summary.length), this.repairs.note)
    const all = this.#units.flatMap((unit) => unit.items)
    // A prompt is never empty, also where every turn is over.
    const finished = Math.min(finishedLength(all), all.length - 1)
    let shown = 0
    this.old = this.#units.filter((unit) => {
      this.#count(unit, 1)
      shown += unit.items.length
      return shown <= finished && unit.from >= (budget.pinnedPrefixItems ?? 0)
    })
  }

  get items(): AgentItem[] {
    return [...this.#summary, ...this.#units.flatMap((unit) => unit.items)]
  }

  /** How many items are shown in part. */
  get truncated(): number {
    return this.items.filter((item) => this.#cut.has(item)).length
  }

  over(): boolean {
    const {
      maxItems = Infinity,
      maxApproxChars = Infinity,
      maxApproxTokens = Infinity,
    } = this.#budget
    const { items, chars, tokens } = this.total
    return items > maxItems || chars > maxApproxChars || tokens > maxApproxTokens
  }

  replace(unit: PromptUnit, items: AgentItem[]): void {
    this.#count(unit, -1)
    this.dropped += unit.items.length - items.length
    unit.items = items
    this.#count(unit, 1)
  }

  /** Leaves out reasoning, unless an item would be refused without: one that must keep its id, or of an unknown type. */
  trim(unit: PromptUnit): void {
    const rest = unit.items.filter((item) => !isReasoning(item))
    if (rest.length === unit.items.length) return
    if (!rest.every((item) => roleOf(item) || takesText(item))) return
    this.replace(
      unit,
      rest.map((item) => withoutId(item, this.repairs.note)),
    )
  }

  /** Cuts all outputs but the last `keep`; answers how many of these are left. */
  shorten(unit: PromptUnit, keep: number): number {
    let full = keep
    const items = unit.items.toReversed().map((item) => {
      if (sideOf(item)?.call !== false || full-- > 0) return item
      const short = shortened(item)
      if (short !== item) this.#cut.add(short)
      return short
    })
    this.replace(unit, items.reverse())
    return Math.max(full, 0)
  }

  #size(items: readonly AgentItem[]) {
    return sizeOf(items, this.#budget.countTokens)
  }

  #count(unit: PromptUnit, sign: 1 | -1): void {
    const { items, chars, tokens } = this.#size(unit.items)
    this.total.items += sign * items
    this.total.chars += sign * chars
    this.total.tokens += sign * tokens
  }
}

function shortened(item: AgentItem): AgentItem {
  const text = textOf(item['output'])
  const output = `${cutText(text, MAX_OLD_OUTPUT)}… (the first of ${text.length} characters)`
  const short = { ...item, output }
  return takesText(item) && text && JSON.stringify(short).length < JSON.stringify(item).length
    ? short
    : item
}
