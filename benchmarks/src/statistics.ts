/** What rounds measured: the middle one, and between which figures half of them lie. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

/** Round by round, so that whatever slows the machine down for a while slows both sides. */
export const ratios = (ours: readonly number[], bare: readonly number[]): number[] =>
  ours.map((value, round) => value / (bare[round] ?? Number.NaN))
