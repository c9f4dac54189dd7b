/** Appends one item after the other and prints each number once it is acknowledged, until it is killed. */
import { writeSync } from 'node:fs'
import type { Place } from '../targets/place.ts'
import { type TargetName, targetOf } from '../targets/targets.ts'
import { orders } from './child.ts'
import { itemOf } from './tokens.ts'

export interface KillOrders {
  readonly target: TargetName
  readonly place: Place
  readonly session: string
  readonly writer: string
}

const { target, place, session, writer } = await orders<KillOrders>()
// Opened only now: a kill may meet the opening, too.
writeSync(1, 'started\n')
const storage = await targetOf(target).open(place)
const memory = storage.memory(session)
for (let number = 0; ; number++) {
  await memory.addOutputItems([itemOf(writer, number)])
  // Synchronous: the number is in the pipe before the next item is on its way.
  writeSync(1, `${number}\n`)
}
