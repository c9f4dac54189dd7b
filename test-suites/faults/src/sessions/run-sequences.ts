import { runSequence } from './run-sequence.ts'
import type { Sabotage } from './session-world.ts'

export interface SequencesReport {
  readonly sequences: number
  readonly operations: number
  readonly prompts: number
  readonly windows: number
  readonly interrupted: number
  readonly byType: Readonly<Record<string, number>>
  readonly seconds: number
  /** What failed, one line each, with the seed that shows it alone. */
  readonly failures: readonly string[]
}

/** Runs the sequences of `seed`, `seed + 1` and so on; stops at the tenth failure. */
export async function runSequences(
  seed: number,
  sequences: number,
  sabotage: Sabotage = {},
): Promise<SequencesReport> {
  const begin = performance.now()
  const total = { operations: 0, prompts: 0, windows: 0, interrupted: 0 }
  const byType: Record<string, number> = {}
  const failures: string[] = []
  let ran = 0
  for (; ran < sequences && failures.length < 10; ran++) {
    try {
      const report = await runSequence(seed + ran, sabotage)
      for (const key of ['operations', 'prompts', 'windows', 'interrupted'] as const) {
        total[key] += report[key]
      }
      for (const [type, count] of Object.entries(report.byType)) {
        byType[type] = (byType[type] ?? 0) + count
      }
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  const seconds = (performance.now() - begin) / 1_000
  return { sequences: ran, ...total, byType, seconds, failures }
}

export function sequencesText(report: SequencesReport): string {
  const { sequences, operations, prompts, windows, interrupted, seconds, failures } = report
  const types = Object.entries(report.byType)
    .sort(([, a], [, b]) => b - a)
    .map(([type, count]) => `${type} ${count}`)
    .join(', ')
  return [
    `${sequences} sequences, ${failures.length} failed, ${seconds.toFixed(1)} s`,
    `operations ${operations} (${types})`,
    `prompts ${prompts}, looked at with ${windows} windows; runs interrupted ${interrupted}`,
    ...failures,
  ].join('\n')
}
