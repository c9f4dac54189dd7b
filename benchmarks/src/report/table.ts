import type { Line } from './lines.ts'

export const verdict = ({ reached }: Line) =>
  reached === undefined ? '' : reached ? 'reached' : 'not reached'

export function plainTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => [
    `${line.subject}: ${line.what}`,
    line.figure,
    line.goal,
    verdict(line),
  ])
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
