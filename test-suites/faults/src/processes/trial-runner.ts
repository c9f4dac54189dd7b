/** One trial in a process of its own, for a target that needs another Node. Its children run in that one, too. */
import { fileURLToPath } from 'node:url'
import type { Plan } from '../faults/trial.ts'
import { type Form, type Letter, runTrial } from '../faults/trials.ts'
import { Random } from '../random.ts'
import { orders } from './child.ts'

export interface TrialOrders {
  readonly letter: Letter
  readonly plan: Omit<Plan, 'programs' | 'service'>
  readonly form: Form
}

process.env['NODE_NO_WARNINGS'] = '1'
const { letter, plan, form } = await orders<TrialOrders>()
const programs = {
  path: (name: string) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url)),
  remove() {},
}
const outcome = await runTrial(letter, { ...plan, programs, random: new Random(plan.seed) }, form)
console.log(JSON.stringify(outcome))
