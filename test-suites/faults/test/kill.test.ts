import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isClean } from '../src/faults/ledger.ts'
import { killWriters } from '../src/faults/writer-kills.ts'
import { type Bundle, bundle } from '../src/processes/bundle.ts'
import { freshSeed, Random } from '../src/random.ts'
import { Folder } from '../src/targets/take-place.ts'

const KILLS = 50

describe(`kill -9 of a writing process at ${KILLS} random points`, () => {
  const folder = new Folder()
  let programs: Bundle | undefined
  beforeAll(async () => {
    programs = await bundle('kill-writer')
  })
  afterAll(() => {
    programs?.remove()
    folder.remove()
  })

  for (const target of ['sqlite', 'files'] as const) {
    it(`${target}: every acknowledged item is there, in order, and others write on`, async () => {
      const begin = performance.now()
      const seed = freshSeed()
      const counts = await killWriters(
        {
          target,
          place: folder.place(target, 'killed'),
          session: 'killed',
          random: new Random(seed),
          programs: programs as Bundle,
        },
        KILLS,
      )
      const seconds = ((performance.now() - begin) / 1000).toFixed(1)
      console.log(`kill -9 ${target}: ${JSON.stringify(counts)}, ${seconds} s, seed ${seed}`)
      expect(isClean(counts), `seed ${seed}`).toBe(true)
      // Beside what was written behind each kill.
      expect(counts.acknowledged).toBeGreaterThan(2 * KILLS)
    }, 180_000)
  }
})
