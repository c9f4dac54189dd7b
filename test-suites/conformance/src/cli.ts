#!/usr/bin/env node
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { BoundCase } from './case.ts'
import { harnessOf, KINDS, type Kind, suiteOf } from './command/harness.ts'
import { messageOf, printable } from './command/printable.ts'
import { progressOn, report, toJson } from './command/report.ts'
import { harnessError } from './harness-error.ts'
import { checkLimits, names } from './limits.ts'
import { runCases } from './run.ts'
import { CASE_TIMEOUT_MS } from './verdict.ts'
import { within } from './within.ts'

const HELP = `Usage: holdfast-conformance MODULE [options]

Runs the Holdfast conformance suite on the harness that MODULE exports by default, and prints a verdict
for every rule.

  driver   { connect(): Promise<{ driver, close() }>, processes?: 1, limits? }
  memory   { connect(): Promise<{ open(id, { compressor? }), close() }>, persistent, swap, snapshot, limits? }
  store    { open(): Promise<{ store, close() }>, processes?: 1, limits? }
  agent    { run({ memory, tools, script, input }): Promise<{ text }>, createAgent?(options), limits? }

Options:
  --kind KIND            driver, memory, store or agent; default: guessed from its
                         properties, where they fit one kind alone
  --only ID              runs the rule ID alone (in every variant; 'GROUP/ID': in that one); may be repeated
  --timeout SECONDS      how long a case, opening and closing may take each; default 180
  --seed N               repeats the random sequences and faults of a run that printed this seed
  --json                 prints one JSON object instead of text
  -h, --help             prints this

Exit code: 0 all rules kept; 1 a rule broken, a case that did not end in time, or a close() that failed;
2 wrong usage, a harness that cannot be loaded or opened, or a run that was ended before its end.
`

/** The exit code of a run that did not come to its end. */
const UNFINISHED = 2

class UsageError extends Error {}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kind: { type: 'string' },
        timeout: { type: 'string' },
        only: { type: 'string', multiple: true },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function checkKind(kind: string | undefined): Kind | undefined {
  const known = KINDS.find((it) => it === kind)
  if (kind === undefined || known) return known
  throw new UsageError(`--kind is driver, memory, store or agent, not ${kind}.`)
}

function checkSeed(seed: string | undefined): number | undefined {
  if (seed === undefined) return undefined
  if (/^\d{1,10}$/.test(seed) && Number(seed) < 2 ** 32) return Number(seed)
  throw new UsageError(`--seed is a whole number from 0 to 4294967295, not ${seed}.`)
}

/** In milliseconds. */
function checkTimeout(seconds: string | undefined): number {
  if (seconds === undefined) return CASE_TIMEOUT_MS
  const ms = Number(seconds) * 1_000
  if (/^\d+(\.\d+)?$/.test(seconds) && ms >= 1 && ms <= 86_400_000) return ms
  throw new UsageError(`--timeout is a number of seconds from 0.001 to 86400, not ${seconds}.`)
}

async function load(path: string, timeoutMs: number): Promise<unknown> {
  try {
    // By URL: an absolute Windows path is no module specifier.
    const url = pathToFileURL(resolve(path)).href
    const loaded = await within(timeoutMs, 'loading', async (): Promise<{ default?: unknown }> => {
      return import(url)
    })
    return loaded.default
  } catch (error) {
    throw new UsageError(`${path} cannot be loaded: ${messageOf(error)}`)
  }
}

function select(
  cases: readonly BoundCase[],
  only: readonly string[] | undefined,
  kind: Kind,
): BoundCase[] {
  if (!only) return [...cases]
  const unknown = only.find((key) => !cases.some((it) => names(key, it)))
  if (unknown !== undefined) {
    throw new UsageError(`--only ${unknown}: no rule of the kind ${kind} has that id.`)
  }
  return cases.filter((it) => only.some((key) => names(key, it)))
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [path, ...more] = positionals
  if (path === undefined) throw new UsageError('Name the module that exports your harness.')
  if (more.length > 0) throw new UsageError(`One module at a time, please: ${more.join(' ')}`)
  const kind = checkKind(values.kind)
  const timeoutMs = checkTimeout(values.timeout)
  const seed = checkSeed(values.seed)
  const harness = harnessOf(await load(path, timeoutMs), kind, path)
  const suite = suiteOf(harness, seed)
  const cases = select(suite.cases, values.only, harness.kind)
  checkLimits(suite.limits, suite.cases)
  const limits = Object.fromEntries(
    Object.entries(suite.limits).filter(([key]) => cases.some((it) => names(key, it))),
  )
  try {
    const door = harness.kind === 'store' ? 'open()' : 'connect()'
    await within(timeoutMs, door, () => suite.open())
  } catch (error) {
    throw harnessError(`${path} cannot be opened`, error)
  }
  const progress = progressOn(process.stderr, cases.length)
  const verdicts = await runCases(cases, { limits, timeoutMs, onVerdict: progress.tick })
  progress.end()
  process.stdout.write(
    values.json
      ? toJson(harness.kind, suite.seed, verdicts)
      : report(harness.kind, suite.seed, verdicts, process.stdout),
  )
  // Ahead of close(), which may do anything: end the process, or never answer.
  await flushed(process.stdout)
  const code = verdicts.some((it) => it.status === 'failed') ? 1 : 0
  try {
    await within(timeoutMs, 'close()', () => suite.close())
  } catch (error) {
    process.stderr.write(`close() failed: ${printable(messageOf(error))}\n`)
    return 1
  }
  return code
}

/** Waits until everything is written: a pipe that is cut off by `exit` loses its end. */
const flushed = (output: NodeJS.WriteStream) =>
  new Promise<void>((done) => output.write('', () => done()))

for (const output of [process.stdout, process.stderr]) {
  // Whoever reads may have read enough (`| head -1`): the verdict stays what it is.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

let ended = false
// Neither a loop that ran dry nor a harness that calls `process.exit` makes an unfinished run a success.
process.exitCode = UNFINISHED
process.on('exit', () => {
  if (ended) return
  process.exitCode = UNFINISHED
  process.stderr.write('The process was ended before the run had ended: this is no verdict.\n')
})

main(process.argv.slice(2))
  .catch((error: unknown) => {
    process.stderr.write(`${printable(messageOf(error))}\nTry holdfast-conformance --help.\n`)
    return 2
  })
  .then(async (code) => {
    await Promise.all([flushed(process.stdout), flushed(process.stderr)])
    ended = true
    // A client that was left open must not keep the command from ending.
    process.exit(code)
  })
