/** `npm run faults -- [--backend NAME] [--only LETTERS] [--seed N] [--short]`: the fault table. */
import { parseArgs } from 'node:util'
import { Unavailable } from '@holdfast/services'
import { bundle } from '../processes/bundle.ts'
import { freshSeed } from '../random.ts'
import { Folder, placeOf, setups, titleOf } from '../targets/take-place.ts'
import { type TargetName, targetNames } from '../targets/targets.ts'
import { wholeNumber } from '../whole-number.ts'
import { applies } from './applies.ts'
import { PROGRAMS, runPlan } from './run-plan.ts'
import { LETTERS, type Letter, LONG, SHORT } from './trials.ts'

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: targetNames.join(',') },
    only: { type: 'string', default: LETTERS.join('') },
    seed: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const seed = values.seed === undefined ? freshSeed() : wholeNumber('seed', values.seed)
const backends = values.backend.split(',')
const stranger = backends.find((name) => !targetNames.includes(name as TargetName))
if (stranger !== undefined) throw new Error(`no backend ${stranger}: ${targetNames.join(', ')}`)
const letters = LETTERS.filter((letter) => values.only.includes(letter))
const form = values.short ? SHORT : LONG

// What it says of Node's version would stand between the lines, once per process.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true'
const programs = await bundle(...PROGRAMS)
const folder = new Folder()
const rows: string[] = []

/** A line as soon as it is known: the whole takes long. */
function tell(backend: string, letter: string, text: string, seconds?: number): void {
  const time = seconds === undefined ? '' : ` (${seconds.toFixed(1)} s)`
  console.log(`${backend} (${letter}) ${text}${time}`)
  rows.push(`| ${backend} | (${letter}) | ${text} | ${seconds?.toFixed(1) ?? ''} |`)
}

async function tryBackend(target: TargetName): Promise<void> {
  const setup = setups[target]
  const url = process.env[setup?.variable ?? ''] ?? ''
  const service = url === '' ? await setup?.start() : await setup?.connect?.(url)
  const name = titleOf(target, service)
  try {
    for (const letter of letters) {
      const concerned = applies(letter, target, service)
      if (concerned !== true) {
        tell(name, letter, `– ${concerned}`)
        continue
      }
      await tryOne(letter, target, name, service)
    }
  } finally {
    await service?.stop()
  }
}

type Started = Awaited<ReturnType<NonNullable<(typeof setups)[TargetName]>['start']>>

async function tryOne(
  letter: Letter,
  target: TargetName,
  name: string,
  service: Started | undefined,
): Promise<void> {
  const begin = performance.now()
  const seconds = () => (performance.now() - begin) / 1_000
  const session = `${letter}-${seed}-${Date.now()}`
  const place = service ? placeOf(service) : folder.place(target, letter)
  const trial = { target, place, session, seed, programs }
  try {
    const found = await runPlan(letter, { ...trial, ...(service && { service }) }, form)
    tell(name, letter, found.text, seconds())
    if (found.clean) return
    console.log(found.details)
  } catch (error) {
    tell(name, letter, `failed: ${error instanceof Error ? error.message : error}`, seconds())
  }
  console.log(`again: npm run faults -- --backend ${target} --only ${letter} --seed ${seed}`)
  process.exitCode = 1
}

console.log(`faults, seed ${seed}`)
try {
  for (const backend of backends) {
    try {
      await tryBackend(backend as TargetName)
    } catch (error) {
      if (!(error instanceof Unavailable)) process.exitCode = 1
      tell(backend, letters.join(''), error instanceof Error ? error.message : String(error))
    }
  }
} finally {
  programs.remove()
  folder.remove()
}
console.log(
  ['', '| backend | fault | what came of it | s |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  ),
)
