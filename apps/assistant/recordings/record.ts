import { writeFileSync } from 'node:fs'
import { bundle } from '../test/bundle.ts'
import { SCENARIOS } from './scenarios.ts'

// Records the sessions that the README shows: all of them, or those named on the command line.
const { app, remove } = await bundle()
try {
  const wanted = process.argv.slice(2)
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    writeFileSync(new URL(`${name}.txt`, import.meta.url), await scenario(app))
    console.info(`recorded ${name}.txt`)
  }
} finally {
  remove()
}
