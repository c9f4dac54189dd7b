import { Child } from '../processes/child.ts'
import type { TrialOrders } from '../processes/trial-runner.ts'
import { Random } from '../random.ts'
import { NO_NODE, nodeFor } from '../targets/runtime.ts'
import type { Plan } from './trial.ts'
import { type Form, type Letter, type Outcome, runTrial } from './trials.ts'

/** The programs that trials run in processes of their own. */
export const PROGRAMS = ['append-racer', 'kill-writer', 'trial-runner'] as const

/** Runs one trial: here, or in a process of the Node that its target needs. */
export async function runPlan(letter: Letter, plan: Plan, form: Form): Promise<Outcome> {
  const node = nodeFor(plan.target)
  if (node === undefined) throw new Error(NO_NODE)
  if (node === process.execPath) {
    return runTrial(letter, { ...plan, random: new Random(plan.seed) }, form)
  }
  const { target, place, session, seed, programs } = plan
  // That Node says of its SQLite that it is experimental, once per process.
  const child = new Child(programs.path('trial-runner'), ['--no-warnings'], node)
  child.start({ letter, plan: { target, place, session, seed }, form } satisfies TrialOrders)
  const code = await child.ended()
  if (code !== 0) throw new Error(`the trial's process ended with code ${code}`)
  return JSON.parse(child.lines.at(-1) ?? '') as Outcome
}
