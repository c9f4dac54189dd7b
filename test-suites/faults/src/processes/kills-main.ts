/** `npm run kills -- [--kills N] [--seed N]`: kills ten-step runs at random points, on every backend that processes share. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freshSeed, Random } from '../random.ts'
import { wholeNumber } from '../whole-number.ts'
import { SHARED_BACKENDS } from './backends.ts'
import { bundle } from './bundle.ts'
import { killRuns, killText } from './run-kills.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, kills: { type: 'string', default: '100' } },
})
const seed = values.seed === undefined ? freshSeed() : wholeNumber('seed', values.seed)
const kills = wholeNumber('kills', values.kills)
console.log(`kill -9 at ${kills} random points of ten-step runs, seed ${seed}`)

const folder = mkdtempSync(join(tmpdir(), 'holdfast-kills-'))
const programs = await bundle('kill-run')
try {
  for (const backend of SHARED_BACKENDS) {
    for (const memory of ['sync', 'step'] as const) {
      const report = await killRuns({
        program: programs.path('kill-run'),
        folder: join(folder, `${backend} ${memory}`),
        backend,
        memory,
        kills,
        random: new Random(seed),
      })
      console.log(`${backend}, ${memory}: ${killText(report)}`)
    }
  }
} finally {
  programs.remove()
  rmSync(folder, { recursive: true, force: true })
}
