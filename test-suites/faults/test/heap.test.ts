import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundle } from '../src/processes/bundle.ts'
import { Child } from '../src/processes/child.ts'
import type { HeapOrders, HeapReport } from '../src/processes/heap-sessions.ts'

const SESSIONS = 10_000
/** Of what a session leaves behind, in bytes: an entry of a map that is never emptied takes more. */
const MOST_PER_SESSION = 100

describe(`the heap after ${SESSIONS.toLocaleString('en')} sessions that were opened, run, saved and dropped`, () => {
  let programs: Bundle | undefined
  beforeAll(async () => {
    programs = await bundle('heap-sessions')
  })
  afterAll(() => programs?.remove())

  for (const memory of ['in-memory', 'durable'] as const) {
    it(`${memory} memories: back to where it was`, async () => {
      const child = new Child((programs as Bundle).path('heap-sessions'), ['--expose-gc'])
      const orders: HeapOrders = { memory, sessions: SESSIONS, warmUp: 4_000 }
      child.start(orders)
      expect(await child.ended()).toBe(0)
      const { before, after, seconds }: HeapReport = JSON.parse(child.lines[0] ?? '')
      console.log(
        `heap, ${memory} memories: ${before.toLocaleString('en')} bytes in use before, ${after.toLocaleString('en')} after ${SESSIONS.toLocaleString('en')} sessions; ${seconds.toFixed(1)} s`,
      )
      expect(after - before).toBeLessThan(SESSIONS * MOST_PER_SESSION)
    }, 300_000)
  }
})
