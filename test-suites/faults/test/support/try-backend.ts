import { leaveOut, useService } from '@holdfast/services'
import * as runner from 'vitest'
import { applies } from '../../src/faults/applies.ts'
import { PROGRAMS, runPlan } from '../../src/faults/run-plan.ts'
import { LETTERS, SHORT } from '../../src/faults/trials.ts'
import { bundle } from '../../src/processes/bundle.ts'
import { freshSeed } from '../../src/random.ts'
import { NO_NODE, nodeFor } from '../../src/targets/runtime.ts'
import { Folder, placeOf, setups, titleOf } from '../../src/targets/take-place.ts'
import type { TargetName } from '../../src/targets/targets.ts'

const TRIAL_MS = 180_000

const NAMES = {
  a: 'processes that append to one session: each item once, in order',
  b: 'kill -9 of a writing process: every acknowledged item is there',
  c: 'a network that breaks 30 % of the answers while an agent runs: each item once',
  d: 'kill -9 of the server: errors that tell, recovery, nothing acknowledged lost',
  e: 'random sequences answer and leave what the model does',
} as const

/** The short form of `npm run faults` for one backend. */
export async function tryBackend(target: TargetName): Promise<void> {
  const setup = setups[target]
  const service = setup && (await useService(setup, runner))
  if (setup && !service) return
  if (nodeFor(target) === undefined) return leaveOut(`faults on ${target}`, NO_NODE, runner)
  const programs = await bundle(...PROGRAMS)
  const folder = new Folder()
  runner.afterAll(() => {
    programs.remove()
    folder.remove()
  })
  runner.describe(`faults on ${titleOf(target, service)}`, () => {
    for (const letter of LETTERS) {
      // What does not concern a backend at all is in the table of the long form; here it would be noise.
      if (applies(letter, target, service) !== true) continue
      runner.it(
        `(${letter}) ${NAMES[letter]}`,
        async () => {
          const seed = freshSeed()
          const place = service ? placeOf(service) : folder.place(target, letter)
          const session = `${letter}-${seed}`
          const trial = { target, place, session, seed, programs }
          const found = await runPlan(letter, { ...trial, ...(service && { service }) }, SHORT)
          console.log(`faults ${target} (${letter}): ${found.text}, seed ${seed}`)
          const again = `npm run faults -- --short --backend ${target} --only ${letter} --seed ${seed}`
          runner.expect(found.clean, `${again}\n${found.details}`).toBe(true)
        },
        TRIAL_MS,
      )
    }
  })
}
