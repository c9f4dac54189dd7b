import type { ContextReport } from '@holdfast/core'

const thousands = (number: number): string => number.toLocaleString('en-US')

/** What a compaction, or a projection to one prompt, did. */
export function reportLine(report: ContextReport): string {
  const { itemsBefore, itemsAfter, approxCharsBefore, approxCharsAfter, repairs } = report
  const parts = [
    `${itemsBefore} items became ${itemsAfter}`,
    `${report.dropped} dropped`,
    ...(report.truncated > 0 ? [`${report.truncated} shortened`] : []),
    `${thousands(approxCharsBefore)} characters became ${thousands(approxCharsAfter)}`,
    ...(report.overBudget ? ['still over the budget'] : []),
    ...(repairs.length > 0 ? [`repairs: ${repairs.join('; ')}`] : []),
  ]
  return `${parts.join(', ')}.`
}
