import type { EngineResults } from '../measure.ts'
import { HISTORIES, type RuntimeResult } from '../runtime.ts'
import { type Compared, SIZES } from '../scenarios/compared.ts'
import { type BothTraffics, TRAFFIC_SIZES } from '../scenarios/traffic.ts'
import type { Spread } from '../statistics.ts'
import type { Results } from './results.ts'

/** One line of the table. */
export interface Line {
  /** Engine or part. */
  readonly subject: string
  readonly what: string
  readonly figure: string
  readonly goal: string
  /** Undefined where there is no goal. */
  readonly reached: boolean | undefined
}

type Finding = Omit<Line, 'subject'>

export const GROWTH_GOAL = 1.2
const READ_GOAL = 1.5
const DISK_GOAL = 1.6
/** Revisions are a few characters longer or shorter, numbers have digits more or less. */
const SAME_BYTES = 32

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 })
const times = ({ median, low, high }: Spread) =>
  `${median.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)})`
const against = ({ ours, bare }: Compared) =>
  `${round(ours.median)} µs against ${round(bare.median)} µs`

const figure = (what: string, measured: string): Finding => ({
  what,
  figure: measured,
  goal: '',
  reached: undefined,
})

const atMost = (what: string, spread: Spread, goal: number, more = '', of = ''): Finding => ({
  what,
  figure: `${times(spread)}${more === '' ? '' : `; ${more}`}`,
  goal: `≤ ${goal} ×${of === '' ? '' : ` ${of}`}`,
  reached: spread.median <= goal,
})

function* findingsOf(results: EngineResults): Generator<Finding> {
  const { goals, append, traffic, read, page, disk } = results
  for (const size of SIZES) {
    const at = append.at[size]
    if (at)
      yield atMost(`append at ${count(size)} items`, at.ratio, goals.append, against(at), 'bare')
  }
  yield atMost('append, from 10 to 10,000 items', append.growth, GROWTH_GOAL)
  for (const size of TRAFFIC_SIZES) {
    const both = traffic?.[size]
    if (both) yield* trafficOf(size, both, goals.roundTrips)
  }
  yield atMost(
    'read of an unchanged 1 MB session',
    read.ratio,
    READ_GOAL,
    against(read),
    'a point read',
  )
  yield figure('the same, all 1,000 items copied out', `${round(read.withItems.median)} µs`)
  if (read.bytes !== undefined && read.bytesOfSmall !== undefined) {
    yield {
      what: 'bytes that come back for it',
      figure: `${count(read.bytes)}; ${count(read.bytesOfSmall)} for a session of 10 KB`,
      goal: 'the same at any size',
      reached: Math.abs(read.bytes - read.bytesOfSmall) < SAME_BYTES,
    }
  }
  yield figure(
    `page of 20 out of ${count(page.sessions)} sessions`,
    `${times(page.ratio)} bare; ${against(page)}`,
  )
  yield atMost('page, sessions of one item to sessions of 1,000', page.growth, GROWTH_GOAL)
  if (disk) {
    const share = disk.stored / disk.text
    yield {
      what: 'bytes on disk after 200 turns of 1 KB messages',
      figure: `${share.toFixed(2)} × the text; ${count(disk.stored)} of ${count(disk.text)} bytes`,
      goal: `≤ ${DISK_GOAL} ×`,
      reached: share <= DISK_GOAL,
    }
  }
}

function* trafficOf(
  size: number,
  { ours, bare }: BothTraffics,
  goal: number | undefined,
): Generator<Finding> {
  const trips = (value: number) => value.toFixed(Number.isInteger(value) ? 0 : 2)
  yield {
    what: `round trips of an append at ${count(size)} items`,
    figure: `${trips(ours.roundTrips)}; bare ${trips(bare.roundTrips)}`,
    goal: goal === undefined ? '' : `≤ ${goal}`,
    reached: goal === undefined ? undefined : ours.roundTrips <= goal,
  }
  yield figure(
    `bytes of an append at ${count(size)} items`,
    `${count(ours.requestBytes)} sent, ${count(ours.answerBytes)} back; bare ${count(bare.requestBytes)} and ${count(bare.answerBytes)}`,
  )
}

function* runtimeFindings({ at, events, event }: RuntimeResult): Generator<Finding> {
  for (const size of HISTORIES) {
    const result = at[size]
    if (!result) continue
    const { run, session, byHand, runRatio, sessionRatio } = result
    yield figure(
      `a step with two tool calls, ${size} items before the run`,
      `${times(runRatio)} by hand; ${round(run.median)} µs against ${round(byHand.median)} µs`,
    )
    yield figure(
      'the same in a session, with its event log',
      `${times(sessionRatio)} by hand; ${round(session.median)} µs`,
    )
  }
  const [middle, slow, fast] = [event.median, event.high, event.low].map((us) =>
    count(Math.round(1e6 / us)),
  )
  yield figure(
    `events through \`stream\`, ${events} in a run of ten steps`,
    `${middle} per second of processor time (${slow}–${fast})`,
  )
}

function* coreFindings(core: Readonly<Record<number, Spread>>): Generator<Finding> {
  for (const size of SIZES) {
    const spread = core[size]
    if (!spread) continue
    yield figure(
      `append at ${count(size)} items`,
      `${round(spread.median)} µs (${round(spread.low)}–${round(spread.high)})`,
    )
  }
}

/** The lines of one engine. */
export const engineLines = (engine: EngineResults): Line[] =>
  [...findingsOf(engine)].map((finding) => ({ subject: engine.name, ...finding }))

export function allLines({ engines, missing, core, runtime }: Results): Line[] {
  const lines: Line[] = []
  const add = (subject: string, findings: Iterable<Finding>) => {
    for (const finding of findings) lines.push({ subject, ...finding })
  }
  for (const engine of engines) lines.push(...engineLines(engine))
  for (const { name, reason, failed } of missing) {
    add(name, [figure(failed ? 'failed' : 'not measured', reason)])
  }
  if (core) add('core alone, in-memory driver', coreFindings(core))
  if (runtime) add('runtime', runtimeFindings(runtime))
  return lines
}
