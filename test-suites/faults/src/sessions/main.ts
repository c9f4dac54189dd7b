/** `npm run sessions -- [--seed N] [--sequences N]`: random sequences of session operations; see README. */
import { parseArgs } from 'node:util'
import { freshSeed } from '../random.ts'
import { wholeNumber } from '../whole-number.ts'
import { runSequences, sequencesText } from './run-sequences.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, sequences: { type: 'string', default: '2000' } },
})

const seed = values.seed === undefined ? freshSeed() : wholeNumber('seed', values.seed)
const sequences = wholeNumber('sequences', values.sequences)
console.log(`${sequences} sequences of session operations, seed ${seed}`)
console.log(`again: npm run sessions -- --seed ${seed} --sequences ${sequences}`)
const report = await runSequences(seed, sequences)
console.log(sequencesText(report))
if (report.failures.length > 0) process.exitCode = 1
