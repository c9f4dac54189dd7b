import { setTimeout as wait } from 'node:timers/promises'
import { itemOf } from '../processes/tokens.ts'
import { targetOf } from '../targets/targets.ts'
import { type Counts, Ledger } from './ledger.ts'
import { storedTokens } from './stored-tokens.ts'
import type { Trial } from './trial.ts'

const WRITERS = 4
/** Acknowledged items of each writer between two kills. */
const BETWEEN = 10
const PAUSE_MS = 30
const DOWN_MS = 300
const RECOVERY_MS = 90_000

/** What the end of the server showed. */
export interface ServerKillCounts extends Counts {
  readonly kills: number
  /** Longest time from the server's return to a write that was acknowledged, in ms. */
  readonly recoveryMs: number
}

/**
 * (d) Kills the server while writers write, and starts it again. Two of the writers try for as long as a
 * storage does by itself, two give up soon, so that their calls fail: with an error that says whether it was
 * applied. All of them go on with the storage that they have.
 */
export async function killServer(trial: Trial, kills: number): Promise<ServerKillCounts> {
  const { target, place, session, random, service } = trial
  if (!service?.owned) throw new Error(`${target} has no server that may be killed`)
  const { open } = targetOf(target)
  const patient = await open(place)
  const hasty = await open(place, { timeoutMs: 500, attempts: 2 })
  const hastySession = `${session} hasty`
  const ledger = new Ledger()
  let stop = false
  let acknowledged = Array.from({ length: WRITERS }, () => 0)

  async function write(writer: number): Promise<void> {
    // A session for each storage: one that tries again at once would keep one that waits from its turn.
    const memory = writer % 2 === 0 ? patient.memory(session) : hasty.memory(hastySession)
    for (let number = 0; !stop; number++) {
      const token = `w${writer}/${number}`
      const done = await ledger.write(token, () =>
        memory.addOutputItems([itemOf(`w${writer}`, number)]),
      )
      if (done) acknowledged[writer] = (acknowledged[writer] ?? 0) + 1
      // As agents do between two items.
      await wait(random.next() * PAUSE_MS)
    }
  }

  let failure: unknown
  const writers = Array.from({ length: WRITERS }, (_, writer) =>
    write(writer).catch((error: unknown) => {
      failure ??= error
    }),
  )
  /** Resolves when each writer was acknowledged some more. */
  async function allWrite(): Promise<void> {
    acknowledged = acknowledged.map(() => 0)
    const deadline = Date.now() + RECOVERY_MS
    while (failure === undefined && acknowledged.some((count) => count < BETWEEN)) {
      if (Date.now() > deadline) {
        throw new Error(`no recovery in ${RECOVERY_MS} ms: ${acknowledged} acknowledged`)
      }
      await wait(5)
    }
  }

  let recoveryMs = 0
  try {
    await allWrite()
    for (let kill = 0; kill < kills && failure === undefined; kill++) {
      await wait(random.next() * 50)
      await service.kill()
      await wait(random.next() * DOWN_MS)
      await service.restart()
      const back = performance.now()
      await allWrite()
      recoveryMs = Math.max(recoveryMs, performance.now() - back)
    }
  } finally {
    stop = true
    await Promise.all(writers)
    await Promise.all([patient.close(), hasty.close()])
  }
  if (failure !== undefined) throw failure
  const stored = [
    ...(await storedTokens(trial)),
    ...(await storedTokens({ ...trial, session: hastySession })),
  ]
  return { ...ledger.compare(stored), kills, recoveryMs }
}
