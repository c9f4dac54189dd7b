import type { RacerOrders, RacerResult } from '../processes/append-racer.ts'
import { Child } from '../processes/child.ts'
import { type Counts, Ledger } from './ledger.ts'
import { storedTokens } from './stored-tokens.ts'
import type { Trial } from './trial.ts'

/** How large a race is. */
export interface RaceSize {
  readonly processes: number
  readonly writers: number
  readonly appends: number
}

/** (a) Processes of several writers append to one session at once. */
export async function appendRace(trial: Trial, size: RaceSize): Promise<Counts> {
  const { target, place, session, programs } = trial
  const children = Array.from({ length: size.processes }, (_, process) => {
    const child = new Child(programs.path('append-racer'))
    const { writers, appends } = size
    child.start({ target, place, session, process, writers, appends } satisfies RacerOrders)
    return child
  })
  const ledger = new Ledger()
  const codes = await Promise.all(children.map((child) => child.ended()))
  if (codes.some((code) => code !== 0)) throw new Error(`a process ended with code ${codes}`)
  for (const { lines } of children) {
    const { acknowledged, unknown, refused } = JSON.parse(lines[0] ?? '') as RacerResult
    for (const token of acknowledged) ledger.acknowledged.add(token)
    for (const token of unknown) ledger.unknown.add(token)
    for (const token of refused) ledger.refused.add(token)
  }
  return ledger.compare(await storedTokens(trial))
}
