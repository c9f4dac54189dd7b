import { describe, expect, it } from 'vitest'
import { growthOf, TURN_SETUPS, type TurnSetup, turnBytes } from '../src/sessions/turn-bytes.ts'

/** `npm run bytes` has 500; what a resume takes grows with the session, which makes that a minute for each. */
const TURNS = 180

describe(`bytes written in each of ${TURNS} turns, resumed before and saved after`, () => {
  for (const setup of Object.keys(TURN_SETUPS) as TurnSetup[]) {
    it(`${setup}: flat`, async () => {
      const bytes = await turnBytes(setup, TURNS)
      const growth = growthOf(bytes)
      const most = Math.max(...bytes)
      const middle = bytes.toSorted((a, b) => a - b)[TURNS / 2] as number
      console.log(
        `${setup}: ${bytes[0]} bytes in turn 1, ${bytes.at(-1)} in turn ${TURNS}; last 50 turns ${growth.toFixed(3)} × turns 71 to 120; most in one turn ${most}`,
      )
      expect(growth).toBeLessThan(1.05)
      // No turn writes anew what was written before: a whole session is a hundred times as much.
      expect(most).toBeLessThan(5 * middle)
    }, 180_000)
  }
})
