import { HISTORIES, type RuntimeResult } from './runtime.ts'
import type { AppendResult, Compared, DiskResult, ReadResult } from './scenarios.ts'
import { SIZES } from './scenarios.ts'
import type { Spread } from './statistics.ts'

export interface EngineResults {
  readonly engine: 'sqlite' | 'pglite'
  readonly statements: string
  readonly append: AppendResult
  readonly read: ReadResult
  readonly page: Compared
  readonly disk: DiskResult
}

export interface Results {
  readonly quick: boolean
  /** Where the databases were. */
  readonly folder: string
  readonly engines: readonly EngineResults[]
  /** Core over the in-memory driver, µs per append. */
  readonly core: Readonly<Record<number, Spread>>
  readonly runtime: RuntimeResult
}

/** One line of the table. */
export interface Line {
  readonly what: string
  readonly figure: string
  readonly goal: string
  readonly reached: boolean | undefined
}

const APPEND_GOALS = { sqlite: 2, pglite: 1.3 } as const
const GROWTH_GOAL = 1.2
const DISK_GOAL = 1.6
const PAGE_GOAL_MS = 5

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
const times = ({ median, low, high }: Spread) =>
  `${median.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)})`
const both = ({ ours, bare }: Compared) =>
  `; ${round(ours.median)} µs against ${round(bare.median)} µs`

function linesOf({ engine, append, read, page, disk }: EngineResults): Line[] {
  const lines: Line[] = []
  const appendGoal = APPEND_GOALS[engine]
  for (const size of SIZES) {
    const at = append.at[size]
    if (!at) throw new Error(`no result at ${size} items`)
    lines.push({
      what: `${engine}: append at ${size.toLocaleString('en')} items`,
      figure: times(at.ratio) + both(at),
      goal: `≤ ${appendGoal} × bare`,
      reached: at.ratio.median <= appendGoal,
    })
  }
  lines.push({
    what: `${engine}: append, 10 to 10,000 items`,
    figure: times(append.growth),
    goal: `≤ ${GROWTH_GOAL} ×`,
    reached: append.growth.median <= GROWTH_GOAL,
  })
  lines.push({
    what: `${engine}: bytes returned, read of an unchanged 1 MB session`,
    figure: `${read.bytes} bytes; ${read.bytesOfSmall} for one of 10 KB`,
    goal: 'the same at any size',
    // Revisions are a few characters longer or shorter.
    reached: Math.abs(read.bytes - read.bytesOfSmall) < 32 && read.bytes < 256,
  })
  lines.push({
    what: `${engine}: strong read of an unchanged 1 MB session, summary`,
    figure: times(read.ratio) + both(read),
    goal: '',
    reached: undefined,
  })
  lines.push({
    what: `${engine}: the same, all 1,000 items copied out`,
    figure: `${round(read.withItems.median)} µs`,
    goal: '',
    reached: undefined,
  })
  const pageMs = page.ours.median / 1_000
  lines.push({
    what: `${engine}: page of 20 out of 10,000 sessions`,
    figure: `${pageMs.toFixed(3)} ms; ${times(page.ratio)} bare`,
    goal: engine === 'sqlite' ? `≤ ${PAGE_GOAL_MS} ms` : '',
    reached: engine === 'sqlite' ? pageMs <= PAGE_GOAL_MS : undefined,
  })
  const share = disk.stored / disk.text
  lines.push({
    what: `${engine}: bytes on disk after 200 turns of 1 KB messages`,
    figure: `${share.toFixed(2)} × the text; ${disk.stored.toLocaleString('en')} of ${disk.text.toLocaleString('en')} bytes`,
    goal: `≤ ${DISK_GOAL} ×`,
    reached: share <= DISK_GOAL,
  })
  return lines
}

function runtimeLines({ at, events, event }: RuntimeResult): Line[] {
  const untested = { goal: '', reached: undefined }
  const lines: Line[] = []
  for (const size of HISTORIES) {
    const result = at[size]
    if (!result) throw new Error(`no result at ${size} items`)
    const { run, session, byHand, runRatio, sessionRatio } = result
    const on = `a step with two tool calls, ${size} items before the run`
    lines.push({
      what: `runtime: ${on}`,
      figure: `${times(runRatio)} by hand; ${round(run.median)} µs against ${round(byHand.median)} µs`,
      ...untested,
    })
    lines.push({
      what: 'runtime: the same in a session, with its event log',
      figure: `${times(sessionRatio)} by hand; ${round(session.median)} µs`,
      ...untested,
    })
  }
  const second = ({ median, low, high }: Spread) =>
    [median, high, low].map((us) => Math.round(1e6 / us).toLocaleString('en'))
  const [middle, slow, fast] = second(event)
  lines.push({
    what: `runtime: events through \`stream\`, ${events} in a run of ten steps`,
    figure: `${middle} per second of processor time (${slow}–${fast})`,
    ...untested,
  })
  return lines
}

export function allLines({ engines, core, runtime }: Results): Line[] {
  const lines = engines.flatMap(linesOf)
  for (const size of SIZES) {
    const spread = core[size]
    if (!spread) throw new Error(`no result at ${size} items`)
    lines.push({
      what: `core alone, in-memory driver: append at ${size.toLocaleString('en')} items`,
      figure: `${round(spread.median)} µs (${round(spread.low)}–${round(spread.high)})`,
      goal: '',
      reached: undefined,
    })
  }
  return [...lines, ...runtimeLines(runtime)]
}

const verdict = ({ reached }: Line) =>
  reached === undefined ? '' : reached ? 'reached' : 'not reached'

export function plainTable(lines: readonly Line[]): string {
  const rows = lines.map((line) => [line.what, line.figure, line.goal, verdict(line)])
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

export function markdown(results: Results, lines: readonly Line[]): string {
  const statements = results.engines.map((one) => `- ${one.engine}: ${one.statements}`)
  const rows = lines.map(
    (line) => `| ${line.what} | ${line.figure} | ${line.goal} | ${verdict(line)} |`,
  )
  return `# Benchmark results

Written by \`npm run bench\`${results.quick ? ' with `--quick`' : ''}. Ratios of one run on one machine, ours
against the bare client running the same statements, prepared, on the same bytes and with the same durability
(SQLite: WAL, \`synchronous = FULL\`; PGlite: a folder), ${results.folder}. Median of the rounds, and between which figures half of them
lie. The figures in µs belong to the machine; compare them with nothing but their own line.

For one append the bare client runs:

${statements.join('\n')}

| what | measured | goal | |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}
