import type { Verdict } from '../verdict.ts'
import { TimedOutError } from '../within.ts'
import { messageOf, printable } from './printable.ts'

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

const MARKS = { passed: '✓', failed: '✗', limited: '–', skipped: '–' } as const
const COLOURS = { passed: 32, failed: 31, limited: 33, skipped: 90 } as const

const count = (verdicts: readonly Verdict[]) => ({
  passed: verdicts.filter((it) => it.status === 'passed').length,
  failed: verdicts.filter((it) => it.status === 'failed').length,
  limited: verdicts.filter((it) => it.status === 'limited').length,
  skipped: verdicts.filter((it) => it.status === 'skipped').length,
})

/** The verdicts by rule: a rule that every variant kept is one line, whatever else happened is a line each. */
export function report(
  kind: string,
  seed: number,
  verdicts: readonly Verdict[],
  output: Pick<Output, 'isTTY'>,
): string {
  const coloured = output.isTTY === true && !process.env['NO_COLOR']
  const mark = (status: Verdict['status']) =>
    coloured ? `\u001b[${COLOURS[status]}m${MARKS[status]}\u001b[39m` : MARKS[status]

  const rules = new Map<string, Verdict[]>()
  for (const verdict of verdicts) {
    rules.set(verdict.id, [...(rules.get(verdict.id) ?? []), verdict])
  }
  const lines: string[] = []
  for (const [id, runs] of rules) {
    const worst = (['failed', 'limited', 'passed', 'skipped'] as const).find((status) =>
      runs.some((it) => it.status === status),
    )
    const runsText = runs.length === 1 ? '' : ` (${runs.length} runs)`
    lines.push(`${mark(worst ?? 'skipped')} ${id}: ${runs[0]?.name ?? ''}${runsText}`)
    for (const { status, group, error, reason } of runs) {
      if (status === 'failed') {
        lines.push(
          `    ${mark(status)} ${group}: ${printable(messageOf(error)).replaceAll('\n', '\n      ')}`,
        )
      } else if (status === 'limited') {
        lines.push(`    ${mark(status)} ${group}: declared limit: ${printable(reason ?? '')}`)
      } else if (status === 'skipped') {
        lines.push(`    ${mark(status)} ${group}: not applicable: ${printable(reason ?? '')}`)
      }
    }
  }
  const { passed, failed, limited, skipped } = count(verdicts)
  lines.push(
    '',
    `${kind}: ${rules.size} rules, ${verdicts.length} runs: ${passed} passed, ${failed} failed, ${limited} declared limits, ${skipped} not applicable (seed ${seed})`,
  )
  return `${lines.join('\n')}\n`
}

/** The same as one JSON object. */
export function toJson(kind: string, seed: number, verdicts: readonly Verdict[]): string {
  const plain = verdicts.map(({ error, ...rest }) =>
    rest.status === 'failed' || rest.status === 'limited'
      ? { ...rest, error: messageOf(error) }
      : rest,
  )
  return `${JSON.stringify({ kind, seed, ...count(verdicts), verdicts: plain }, undefined, 2)}\n`
}

/** One line that is written over, on a terminal alone. */
export function progressOn(output: Output, total: number) {
  let done = 0
  return {
    tick(verdict: Verdict): void {
      done++
      if (output.isTTY) output.write(`\r\u001b[2K${done}/${total} ${verdict.group}: ${verdict.id}`)
      // A run in which nothing answers lasts for hours: whoever waits is told at once.
      if (!(verdict.error instanceof TimedOutError)) return
      output.write(
        `${output.isTTY ? '\n' : ''}${verdict.group}/${verdict.id}: ${verdict.error.message}\n`,
      )
    },
    end(): void {
      if (output.isTTY) output.write('\r\u001b[2K')
    },
  }
}
