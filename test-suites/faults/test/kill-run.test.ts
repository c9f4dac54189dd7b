import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundle } from '../src/processes/bundle.ts'
import { killRuns, killText } from '../src/processes/run-kills.ts'
import { freshSeed, Random } from '../src/random.ts'

/** `npm run kills` has a hundred, on the file system of the example too. */
const KILLS = 30

const WHERE = {
  sync: 'a memory in the process, autosave sync',
  step: 'a durable memory, autosave step',
} as const

describe(`kill -9 at ${KILLS} random points of ten-step runs with parallel tools, on SQLite`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kill-run-'))
  let programs: Bundle | undefined
  beforeAll(async () => {
    programs = await bundle('kill-run')
  })
  afterAll(() => {
    programs?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const memory of ['sync', 'step'] as const) {
    it(`${WHERE[memory]}: it goes on, runs nothing twice unasked, and ends as if never killed`, async () => {
      const seed = freshSeed()
      const report = await killRuns({
        program: (programs as Bundle).path('kill-run'),
        folder: join(folder, memory),
        backend: 'sqlite',
        memory,
        kills: KILLS,
        random: new Random(seed),
      })
      console.log(`sqlite, ${memory}: ${killText(report)}, seed ${seed}`)
      expect(report.kills).toBe(KILLS)
      // Kills that never met a running tool would show nothing.
      expect(report.reruns).toBeGreaterThan(0)
    }, 300_000)
  }
})
