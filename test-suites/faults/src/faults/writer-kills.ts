import { setTimeout as wait } from 'node:timers/promises'
import { Child } from '../processes/child.ts'
import type { KillOrders } from '../processes/kill-writer.ts'
import { itemOf } from '../processes/tokens.ts'
import { targetOf } from '../targets/targets.ts'
import { type Counts, Ledger } from './ledger.ts'
import { storedTokens } from './stored-tokens.ts'
import type { Trial } from './trial.ts'

/** Processes that have started up and wait for their turn. */
const READY = 3
const MOST_LINES = 20
const MOST_MS = 6

/** How the kills met the writers. */
export interface KillCounts extends Counts {
  readonly kills: number
  /** Kills before anything was acknowledged. */
  readonly early: number
}

/**
 * (b) Kills a writing process at random points. After each kill everything is looked at as another process
 * finds it, which then writes on. Throws where what was there before the kill is not there as it was.
 */
export async function killWriters(trial: Trial, kills: number): Promise<KillCounts> {
  const { target, place, session, random, programs } = trial
  const newWriter = () => new Child(programs.path('kill-writer'))
  const ready = Array.from({ length: Math.min(READY, kills) }, newWriter)
  const ledger = new Ledger()
  let expected: readonly string[] = []
  let early = 0

  for (let kill = 0; kill < kills; kill++) {
    const child = ready.shift() ?? newWriter()
    if (kill + ready.length + 1 < kills) ready.push(newWriter())
    const writer = `killed${kill}`
    child.start({ target, place, session, writer } satisfies KillOrders)
    // One line says that it began; then one for each acknowledged item.
    await child.printed(1 + random.integer(0, MOST_LINES))
    await wait(random.next() * MOST_MS)
    child.kill()
    const code = await child.ended()
    if (code !== null) throw new Error(`writer ${kill} ended by itself, with code ${code}`)

    const acknowledged = child.lines.length - 1
    for (let at = 0; at < acknowledged; at++) ledger.acknowledged.add(`${writer}/${at}`)
    ledger.unknown.add(`${writer}/${acknowledged}`)
    if (acknowledged === 0) early++

    const storage = await targetOf(target).open(place)
    const after = `after${kill}`
    await ledger.write(`${after}/0`, () =>
      storage.memory(session).addOutputItems([itemOf(after, 0)]),
    )
    await storage.close()
    const stored = await storedTokens(trial)
    const kept = stored.slice(0, expected.length)
    if (kept.join() !== expected.join()) {
      throw new Error(`after kill ${kill} what was there before is ${kept}, was ${expected}`)
    }
    expected = stored
  }
  return { ...ledger.compare(expected), kills, early }
}
