/** `npm run bytes -- [--turns N]`: the bytes that each turn writes, with a resume before and a save after it. */
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { growthOf, SHOWN_TURNS, TURN_SETUPS, type TurnSetup, turnBytes } from './turn-bytes.ts'

const { values } = parseArgs({ options: { turns: { type: 'string', default: '500' } } })
const turns = wholeNumber('turns', values.turns)
const shown = SHOWN_TURNS.filter((turn) => turn <= turns)

console.log(`| bytes written in turn | ${shown.join(' | ')} | last 50 against 71 to 120 |`)
console.log(`| --- | ${shown.map(() => '---:').join(' | ')} | ---: |`)
for (const setup of Object.keys(TURN_SETUPS) as TurnSetup[]) {
  const bytes = await turnBytes(setup, turns)
  const cells = shown.map((turn) => bytes[turn - 1]?.toLocaleString('en'))
  console.log(`| ${setup} | ${cells.join(' | ')} | ${growthOf(bytes).toFixed(3)} × |`)
}
