#!/usr/bin/env node
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { BoundCase } from './case.ts'
import { harnessOf, type Kind, suiteOf } from './command/harness.ts'
import { progressOn, report, toJson } from './command/report.ts'
import { runCases } from './run.ts'

const HELP = `Usage: holdfast-conformance MODULE [options]

Runs the Holdfast conformance suite on the harness that MODULE exports by default, and prints a verdict
for every rule.

  driver   { connect(): Promise<{ driver, close() }>, processes?: 1, limits? }
  memory   { connect(): Promise<{ open(id, { compressor? }), close() }>, persistent, swap, snapshot, limits? }

Options:
  --kind driver|memory   what the harness is for; default: guessed from its properties
  --only ID              runs the rule ID alone (in every variant); may be repeated
  --seed N               repeats the random sequences and faults of a run that printed this seed
  --json                 prints one JSON object instead of text
  -h, --help             prints this

Exit code: 0 all rules kept, 1 a rule broken, 2 wrong usage or a module that cannot be loaded.
`

class UsageError extends Error {}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kind: { type: 'string' },
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
  if (kind === undefined || kind === 'driver' || kind === 'memory') return kind
  throw new UsageError(`--kind is driver or memory, not ${kind}.`)
}

function checkSeed(seed: string | undefined): number | undefined {
  if (seed === undefined) return undefined
  if (/^\d{1,10}$/.test(seed) && Number(seed) < 2 ** 32) return Number(seed)
  throw new UsageError(`--seed is a whole number from 0 to 4294967295, not ${seed}.`)
}

async function load(path: string): Promise<unknown> {
  try {
    // By URL: an absolute Windows path is no module specifier.
    const loaded = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
    return loaded.default
  } catch (error) {
    throw new UsageError(
      `${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function select(cases: readonly BoundCase[], only: readonly string[] | undefined): BoundCase[] {
  if (!only) return [...cases]
  const unknown = only.find((id) => !cases.some((it) => it.id === id))
  if (unknown !== undefined) throw new UsageError(`--only ${unknown}: no rule has that id.`)
  return cases.filter((it) => only.includes(it.id))
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
  const harness = harnessOf(await load(path), kind, path)
  const suite = suiteOf(harness, checkSeed(values.seed))
  const cases = select(suite.cases, values.only)
  const limits = Object.fromEntries(
    Object.entries(suite.limits).filter(
      ([key]) => !values.only || values.only.some((id) => key === id || key.endsWith(`/${id}`)),
    ),
  )
  const progress = progressOn(process.stderr, cases.length)
  const verdicts = await runCases(cases, { limits, onVerdict: progress.tick })
  progress.end()
  await suite.close()
  process.stdout.write(
    values.json
      ? toJson(harness.kind, suite.seed, verdicts)
      : report(harness.kind, suite.seed, verdicts, process.stdout),
  )
  return verdicts.some((it) => it.status === 'failed') ? 1 : 0
}

/** Waits until everything is written: a pipe that is cut off by `exit` loses its end. */
const flushed = () => new Promise<void>((done) => process.stdout.write('', () => done()))

main(process.argv.slice(2))
  .catch((error: unknown) => {
    const said = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${said}\nTry holdfast-conformance --help.\n`)
    return 2
  })
  .then(async (code) => {
    await flushed()
    // A client that was left open must not keep the command from ending.
    process.exit(code)
  })
