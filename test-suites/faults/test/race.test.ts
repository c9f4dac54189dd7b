import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStorage } from '@holdfast/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBackend, SHARED_BACKENDS } from '../src/processes/backends.ts'
import { type Bundle, bundle } from '../src/processes/bundle.ts'
import { Child } from '../src/processes/child.ts'
import { replayJournals } from '../src/processes/journal.ts'
import type { RaceOrders, RaceResult } from '../src/processes/race-worker.ts'
import { tokensOf } from '../src/processes/tokens.ts'
import { freshSeed } from '../src/random.ts'

const PROCESSES = 4
const WRITERS = 8
const APPENDS = 50
const TOTAL = PROCESSES * WRITERS * APPENDS
const SESSION = 'contended'

/**
 * Under a window an item is rightly gone a moment later, so looking at the end shows little. Twice, then:
 * with a window that everything fits into, where the stored session itself is counted, and with one of 20
 * items, where every process notes each commit that its backend applied, and the notes are replayed.
 */
describe(`${PROCESSES} processes of ${WRITERS} writers, ${APPENDS} appends each, lost answers in half of the writers`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-race-'))
  let programs: Bundle | undefined
  beforeAll(async () => {
    programs = await bundle('race-worker')
  })
  afterAll(() => {
    programs?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const backend of SHARED_BACKENDS) {
    for (const window of [TOTAL, 20]) {
      it(`${backend}, window ${window}: each item applied once, in its writer's order`, async () => {
        const begin = performance.now()
        const seed = freshSeed()
        const path = join(folder, `${backend}-${window}`)
        const journals = Array.from({ length: PROCESSES }, (_, at) => `${path}.journal-${at}`)
        const children = journals.map((journal, process) => {
          const child = new Child((programs as Bundle).path('race-worker'))
          const orders: RaceOrders = {
            backend,
            path,
            session: SESSION,
            process,
            writers: WRITERS,
            appends: APPENDS,
            window,
            seed,
            lost: 0.3,
            journal,
          }
          child.start(orders)
          return child
        })
        const codes = await Promise.all(children.map((child) => child.ended()))
        expect(codes, `seed ${seed}`).toEqual(codes.map(() => 0))
        const results = children.map(({ lines }) => JSON.parse(lines[0] ?? '') as RaceResult)
        const sum = (key: keyof RaceResult) => results.reduce((total, one) => total + one[key], 0)

        const replay = replayJournals(journals, window)
        const { driver, close } = await openBackend(backend, path)
        const shown = await createStorage(driver).memory(SESSION).snapshot()
        const stored = await driver.read(`m0:${SESSION}`, { skip: 1e9 })
        close()

        console.log(
          `race ${backend}, window ${window}: ${sum('acknowledged')} acknowledged, ${replay.arrived.length} applied, ${replay.commits} commits, ${sum('lostAnswers')} lost answers, ${sum('lostRaces')} lost races, ${sum('repeated')} repeated, ${((performance.now() - begin) / 1000).toFixed(1)} s, seed ${seed}`,
        )
        expect(sum('acknowledged')).toBe(TOTAL)
        expect(sum('lostAnswers')).toBeGreaterThan(0)
        expect(tokensOf(shown.items.map((item) => JSON.stringify(item)))).toEqual(replay.tokens)
        expect(stored).toMatchObject({ revision: replay.revision })
        expect(replay.tokens).toHaveLength(window)
        expect(replay.arrived).toHaveLength(TOTAL)
        for (let process = 0; process < PROCESSES; process++) {
          for (let writer = 0; writer < WRITERS; writer++) {
            const name = `${process}.${writer}/`
            expect(replay.arrived.filter((token) => token.startsWith(name))).toEqual(
              Array.from({ length: APPENDS }, (_, number) => `${name}${number}`),
            )
          }
        }
      }, 180_000)
    }
  }
})
