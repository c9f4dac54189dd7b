/** One process of a race: several writers, each with a storage of its own, append to one session. */
import { setTimeout as wait } from 'node:timers/promises'
import { Ledger } from '../faults/ledger.ts'
import type { Place } from '../targets/place.ts'
import { type TargetName, targetOf } from '../targets/targets.ts'
import { orders } from './child.ts'
import { itemOf } from './tokens.ts'

export interface RacerOrders {
  readonly target: TargetName
  readonly place: Place
  readonly session: string
  readonly process: number
  readonly writers: number
  readonly appends: number
}

export interface RacerResult {
  readonly acknowledged: readonly string[]
  readonly unknown: readonly string[]
  readonly refused: readonly string[]
}

const race = await orders<RacerOrders>()
const ledger = new Ledger()

async function write(writer: number): Promise<void> {
  const storage = await targetOf(race.target).open(race.place)
  const memory = storage.memory(race.session)
  const name = `${race.process}.${writer}`
  for (let number = 0; number < race.appends; ) {
    const token = `${name}/${number}`
    const done = await ledger.write(token, () => memory.addOutputItems([itemOf(name, number)]))
    // What was surely not applied is written again.
    if (done || ledger.unknown.has(token)) number++
    else await wait(50 * Math.random())
  }
  await storage.close()
}

await Promise.all(Array.from({ length: race.writers }, (_, writer) => write(writer)))
const { acknowledged, unknown, refused } = ledger
const result: RacerResult = {
  acknowledged: [...acknowledged],
  unknown: [...unknown],
  refused: [...refused],
}
console.log(JSON.stringify(result))
