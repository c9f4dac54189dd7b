/**
 * `npm run bench -- [--quick] [--runtime]`: Holdfast against the bare clients, in one run, as ratios.
 * `--runtime` measures the loop alone and keeps what else was measured last.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { coreAlone } from './core-alone.ts'
import type { Engine } from './engine.ts'
import { folderKind } from './folder.ts'
import { pgliteEngine } from './pglite-engine.ts'
import { allLines, type EngineResults, markdown, plainTable, type Results } from './report.ts'
import { runtimeAlone } from './runtime.ts'
import { appends, disk, type Effort, page, unchangedRead } from './scenarios.ts'
import { sqliteEngine } from './sqlite-engine.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runtime: { type: 'boolean', default: false },
  },
})
const effort: Effort = values.quick
  ? { rounds: 25, warmUp: 40, appends: 20 }
  : { rounds: 121, warmUp: 100, appends: 20 }

const say = (text: string) => {
  if (process.stderr.isTTY) process.stderr.write(`${text}\n`)
}

async function measure(open: () => Promise<Engine>): Promise<EngineResults> {
  const engine = await open()
  const { name, statements } = engine
  try {
    say(`${name}: bytes on disk`)
    const onDisk = await disk(engine)
    say(`${name}: appends`)
    const append = await appends(engine, effort)
    say(`${name}: unchanged read`)
    const read = await unchangedRead(engine, effort)
    say(`${name}: page`)
    return {
      engine: name,
      statements,
      append,
      read,
      page: await page(engine, effort),
      disk: onDisk,
    }
  } finally {
    await engine.close()
  }
}

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))

async function measureAll(): Promise<Results> {
  const engines: EngineResults[] = []
  for (const open of [sqliteEngine, pgliteEngine]) engines.push(await measure(open))
  say('core alone')
  const core = await coreAlone(effort)
  say('runtime')
  const runtime = await runtimeAlone(effort)
  return { quick: values.quick, folder: folderKind(), engines, core, runtime }
}

async function measureRuntime(): Promise<Results> {
  const before = JSON.parse(readFileSync(file('results.json'), 'utf8')) as Results
  return { ...before, runtime: await runtimeAlone(effort) }
}

const results = await (values.runtime ? measureRuntime() : measureAll())
const lines = allLines(results)
console.log(`databases ${results.folder}\n\n${plainTable(lines)}`)
const missed = lines.filter(({ reached }) => reached === false).length
console.log(
  `\n${lines.filter(({ reached }) => reached).length} goals reached, ${missed} not reached`,
)

// A quick look must not replace what the README quotes.
if (!values.quick) writeFileSync(file('results.md'), markdown(results, lines))
if (!values.quick) writeFileSync(file('results.json'), `${JSON.stringify(results, null, 2)}\n`)
