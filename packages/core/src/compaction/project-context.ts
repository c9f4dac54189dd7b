import type { ContextBudget, ContextProjector } from '../contracts/compaction.ts'
import type { AgentItem } from '../contracts/item.ts'
import { reportOf, sizeOf } from './context-report.ts'
import { cutText, textOf } from './cut-text.ts'
import { finishedLength } from './finished-length.ts'
import { isInput, isReasoning, roleOf, sideOf, takesText, withoutId } from './paired-items.ts'
import { type PromptUnit, promptUnits } from './prompt-units.ts'

/** How much of an old tool output is still shown, in UTF-16 units. */
const MAX_OLD_OUTPUT = 200

/**
 * What both projectors share. `turns`: leave out whole turns, and before that old reasoning and the greater
 * part of old tool outputs, each from the oldest on; else unit by unit.
 */
export function projectContext(
  items: readonly AgentItem[],
  budget: ContextBudget,
  turns: boolean,
): ReturnType<ContextProjector['project']> {
  const {
    maxItems = Infinity,
    maxApproxChars = Infinity,
    maxApproxTokens = Infinity,
    countTokens,
    pinnedPrefixItems = 0,
    maxRecentToolResults = Infinity,
    trimOldReasoning,
  } = budget
  const size = (list: readonly AgentItem[]) => sizeOf(list, countTokens)
  const summary = items.slice(0, items[0] && roleOf(items[0]) === 'system' ? 1 : 0)
  const { units, repairs } = promptUnits(items.slice(summary.length))
  const all = units.flatMap((unit) => unit.items)
  // A prompt is never empty, also where every turn is over.
  const finished = Math.min(finishedLength(all), all.length - 1)
  const total = size(summary)
  let shown = 0
  let dropped = 0
  const cut = new Set<AgentItem>()
  const count = (unit: PromptUnit, sign: 1 | -1) => {
    const { items, chars, tokens } = size(unit.items)
    total.items += sign * items
    total.chars += sign * chars
    total.tokens += sign * tokens
  }
  const old = units.filter((unit) => {
    count(unit, 1)
    shown += unit.items.length
    return shown <= finished && unit.from >= pinnedPrefixItems
  })
  const over = () =>
    total.items > maxItems || total.chars > maxApproxChars || total.tokens > maxApproxTokens
  const replace = (unit: PromptUnit, by: AgentItem[]) => {
    count(unit, -1)
    dropped += unit.items.length - by.length
    unit.items = by
    count(unit, 1)
  }
  const trim = (unit: PromptUnit) => {
    if (canLoseReasoning(unit)) {
      replace(unit, unit.items.filter((item) => !isReasoning(item)).map(withoutId))
    }
  }
  let full = maxRecentToolResults
  const shorten = (unit: PromptUnit) => {
    const by = unit.items.toReversed().map((item) => {
      if (sideOf(item)?.call !== false || full-- > 0) return item
      const short = shortened(item)
      if (short !== item) cut.add(short)
      return short
    })
    replace(unit, by.reverse())
  }

  if (trimOldReasoning) old.forEach(trim)
  if (full < Infinity) old.toReversed().forEach(shorten)
  if (turns) {
    for (const unit of old) if (over()) trim(unit)
    full = 0
    for (const unit of old) if (over()) shorten(unit)
  }
  let within = false
  let input = true
  for (const unit of old) {
    const first = unit.items[0]
    const begins = !input && first && isInput(first)
    input = Boolean(first && isInput(first))
    if (!turns || begins || !within) within = over()
    if (within) replace(unit, [])
  }
  const prompt = [...summary, ...units.flatMap((unit) => unit.items)]
  const truncated = prompt.filter((item) => cut.has(item)).length
  return {
    items: prompt,
    report: reportOf(size(items), total, { dropped, truncated, repairs, overBudget: over() }),
  }
}

/** True unless an item would be refused without its reasoning: one that must keep its own id, or of an unknown type. */
const canLoseReasoning = ({ items }: PromptUnit): boolean =>
  items.some(isReasoning) &&
  items.every((item) => isReasoning(item) || roleOf(item) || takesText(item))

function shortened(item: AgentItem): AgentItem {
  const text = textOf(item['output'])
  const output = `${cutText(text, MAX_OLD_OUTPUT)}… (the first of ${text.length} characters)`
  const short = { ...item, output }
  return takesText(item) && text && JSON.stringify(short).length < JSON.stringify(item).length
    ? short
    : item
}
