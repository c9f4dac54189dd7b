import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Unavailable } from '@holdfast/services'
import { backends, PARTS, type Selection, select } from './backends.ts'
import { coreAlone } from './core-alone.ts'
import { folderKind, parentFolder } from './folder.ts'
import type { EngineResults } from './measure.ts'
import { type Efforts, measure } from './measure.ts'
import { chart } from './report/chart.ts'
import { allLines, engineLines } from './report/lines.ts'
import { markdown } from './report/markdown.ts'
import type { Missing, Results } from './report/results.ts'
import { plainTable } from './report/table.ts'
import { runtimeAlone } from './runtime.ts'

const HELP = `npm run bench -- [options]

Holdfast against the bare client of every backend, in one run, as ratios. Prints a table; a whole run also
writes results.md, results.json and results.svg beside this package's README.

  --only <names>   only these, with commas between: ${[...backends.map(({ id }) => id), ...PARTS].join(', ')};
                   "s3" means every name that begins with "s3-". Writes nothing unless --out is given.
  --quick          a fifth of the time, and figures that are less sure. Writes nothing unless --out is given.
  --out <folder>   where to write the results.
  --help           this text.

HOLDFAST_BENCH_DIR=<folder> puts the databases there, in place of a disk in memory. Servers are found by the
variables that the tests use (HOLDFAST_POSTGRES_URL, …), else started one after the other and stopped.
`

interface Options {
  readonly quick: boolean
  /** Where results are written; undefined: nowhere. */
  readonly out: string | undefined
  readonly selection: Selection
}

function optionsOf(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const whole = values.only === undefined && !values.quick
  // A quick look or a part must not replace what the docs quote.
  const out = values.out ?? (whole ? fileURLToPath(new URL('..', import.meta.url)) : undefined)
  return {
    quick: values.quick,
    // npm runs this in the package's folder; the path is meant from where npm was called.
    out: out === undefined ? undefined : resolve(process.env['INIT_CWD'] ?? '.', out),
    selection: select(values.only),
  }
}

function effortsOf(quick: boolean): Efforts {
  const share = quick ? 0.2 : 1
  const rounds = quick ? 25 : 121
  const warmUp = quick ? 40 : 100
  return {
    append: { rounds, warmUp, appends: 20, budgetMs: 10_000 * share },
    read: { rounds, warmUp, appends: 20, budgetMs: 4_000 * share },
    page: { rounds, warmUp, appends: 20, budgetMs: 4_000 * share, fillMs: 25_000 * share },
  }
}

const start = performance.now()
const say = (text: string) => {
  const seconds = ((performance.now() - start) / 1_000).toFixed(0).padStart(4)
  process.stderr.write(`${seconds} s  ${text}\n`)
}

async function measureAll({ quick, selection }: Options): Promise<Results> {
  // Servers that are started put their data where the embedded databases are.
  process.env['TMPDIR'] = parentFolder()
  const efforts = effortsOf(quick)
  const engines: EngineResults[] = []
  const missing: Missing[] = []
  for (const { name, each } of selection.backends) {
    try {
      say(`${name}: starts`)
      await each(async (open) => {
        const measured = await measure(open, efforts, say)
        engines.push(measured)
        for (const { subject, what, figure } of engineLines(measured)) {
          say(`${subject}: ${what}: ${figure}`)
        }
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const failed = !(error instanceof Unavailable)
      say(`${name}: ${failed ? 'failed' : 'missing'}: ${failed ? (error as Error).stack : reason}`)
      missing.push({ name, reason, failed })
    }
  }
  const { parts } = selection
  const wants = (part: (typeof PARTS)[number]) => {
    if (parts.includes(part)) say(part)
    return parts.includes(part)
  }
  return {
    quick,
    folder: folderKind(),
    node: process.versions.node,
    engines,
    missing,
    core: wants('core') ? await coreAlone(efforts.append) : undefined,
    runtime: wants('runtime') ? await runtimeAlone(efforts.append) : undefined,
  }
}

async function main(options: Options): Promise<void> {
  const results = await measureAll(options)
  const lines = allLines(results)
  console.log(`databases ${results.folder}\n\n${plainTable(lines)}`)
  const goals = lines.filter(({ reached }) => reached !== undefined)
  const reached = goals.filter((line) => line.reached).length
  console.log(`\n${reached} goals reached, ${goals.length - reached} not reached`)
  if (results.missing.some(({ failed }) => failed)) process.exitCode = 1
  const { out } = options
  if (out === undefined) return
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'results.md'), markdown(results, lines))
  writeFileSync(join(out, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(join(out, 'results.svg'), chart(results))
  say(`written to ${out}`)
}

try {
  const options = optionsOf(process.argv.slice(2))
  if (options === 'help') console.log(HELP)
  else await main(options)
} catch (error) {
  const usage =
    error instanceof RangeError ||
    String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  console.error(usage ? `${(error as Error).message}\n\n${HELP}` : error)
  process.exitCode = usage ? 2 : 1
}
