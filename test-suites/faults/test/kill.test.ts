import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createStorage } from '@holdfast/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBackend, SHARED_BACKENDS } from '../src/processes/backends.ts'
import { type Bundle, bundle } from '../src/processes/bundle.ts'
import { Child } from '../src/processes/child.ts'
import type { KillOrders } from '../src/processes/kill-writer.ts'
import { itemOf, tokensOf } from '../src/processes/tokens.ts'
import { freshSeed, Random } from '../src/random.ts'

const KILLS = 50
/** Processes that have started up and wait for their turn. */
const READY = 3
const SESSION = 'killed'

/** Of the writer's items, which are stored: all of 0, 1, 2 … up to some number, in order. */
function storedOf(tokens: readonly string[], writer: string): number {
  const own = tokens.filter((token) => token.startsWith(`${writer}/`))
  expect(own).toEqual(own.map((_, number) => `${writer}/${number}`))
  return own.length
}

describe(`kill -9 of a writing process at ${KILLS} random points`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kill-'))
  let programs: Bundle | undefined
  beforeAll(async () => {
    programs = await bundle('kill-writer')
  })
  afterAll(() => {
    programs?.remove()
    rmSync(folder, { recursive: true, force: true })
  })
  const newWriter = () => new Child((programs as Bundle).path('kill-writer'))

  for (const backend of SHARED_BACKENDS) {
    it(`${backend}: every acknowledged item is there, in order, and others write on`, async () => {
      const begin = performance.now()
      const seed = freshSeed()
      const random = new Random(seed)
      const path = join(folder, backend)
      const { driver, close } = await openBackend(backend, path)
      const ready = Array.from({ length: READY }, () => newWriter())
      const counts = { acknowledged: 0, extra: 0, early: 0 }
      let expected: string[] = []

      for (let kill = 0; kill < KILLS; kill++) {
        const child = ready.shift() as Child
        if (kill + READY < KILLS) ready.push(newWriter())
        const writer = `killed${kill}`
        const orders: KillOrders = { backend, path, session: SESSION, writer }
        child.start(orders)
        // One line says that it began; then one for each acknowledged item.
        await child.printed(1 + random.integer(0, 20))
        await wait(random.next() * 6)
        child.kill()
        expect(await child.ended(), `seed ${seed}`).toBeNull()

        // A fresh storage, as a process that starts has it.
        const storage = createStorage(driver)
        const memory = storage.memory(SESSION)
        const { items } = await memory.snapshot()
        const tokens = tokensOf(items.map((item) => JSON.stringify(item)))
        const acknowledged = child.lines.length - 1
        const stored = storedOf(tokens, writer)
        const said = `seed ${seed}, kill ${kill}: ${acknowledged} acknowledged, ${stored} stored`
        expect(stored, said).toBeGreaterThanOrEqual(acknowledged)
        expect(stored, said).toBeLessThanOrEqual(acknowledged + 1)
        // What was there before is there still, and nothing else is.
        expect(tokens, said).toEqual([...expected, ...tokens.slice(-stored || tokens.length)])
        expect(tokens, said).toHaveLength(expected.length + stored)

        await memory.addOutputItems([itemOf(`after${kill}`, 0)])
        await storage.close()
        expected = [...tokens, `after${kill}/0`]
        counts.acknowledged += acknowledged
        counts.extra += stored - acknowledged
        if (acknowledged === 0) counts.early++
      }
      const last = await createStorage(driver).memory(SESSION).snapshot()
      expect(tokensOf(last.items.map((item) => JSON.stringify(item)))).toEqual(expected)
      close()
      console.log(
        `kill -9 ${backend}: ${KILLS} kills, ${counts.acknowledged} items acknowledged, 0 lost, ${counts.extra} stored beyond the last acknowledged, ${counts.early} kills before the first, ${((performance.now() - begin) / 1000).toFixed(1)} s, seed ${seed}`,
      )
      expect(counts.acknowledged).toBeGreaterThan(KILLS)
    }, 180_000)
  }
})
