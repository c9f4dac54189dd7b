import { createStorage, HoldfastError, MemoryDriver } from '@holdfast/core'
import type { Burst, Fate } from '@holdfast/services'
import { inOrder } from '../processes/run-kills.ts'
import { tenSteps } from '../processes/ten-steps.ts'
import { pairingFaults } from '../sessions/pairing.ts'
import { openProxied } from '../targets/proxied.ts'
import { targetOf } from '../targets/targets.ts'
import type { Counts } from './ledger.ts'
import type { Trial } from './trial.ts'

/** Share of the answers that are broken, each way as often. */
const BROKEN = 0.3
/**
 * Answers of a new connection that pass, by the URL's scheme: where a client needs several to begin, and begins
 * with all of its connections anew when one is cut, breaking those takes minutes and shows nothing more.
 */
const SPARED: Readonly<Record<string, number>> = { 'mysql:': 4, 'redis-cluster:': 3 }
const FAILURES: ReadonlySet<string> = new Set(['STORAGE_FAILED', 'CONFLICT'])
const TIMEOUT_MS = 400
const MOST_DELAY_MS = 100
const MOST_TRIES = 300
/** A connection that swallows ends some time later, as a system ends one whose other side is gone. */
const SWALLOWS_MS = 800

/** What became of the answers, and of the runs. */
export interface NetworkCounts extends Counts {
  readonly answers: number
  readonly cut: number
  readonly delayed: number
  readonly swallowed: number
  /** How often a run failed and was gone on with. */
  readonly failed: number
  /** Tools that ran more often than once and once more per permission. */
  readonly ranUnasked: number
}

/** A run of an agent, gone on with until it is over; answers how it went. */
async function runThrough(trial: Trial, storage: Parameters<typeof tenSteps>[0]['storage']) {
  const ran = new Map<string, number>()
  const allowed = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1)
  let failed = 0
  let unknown = 0
  let orphans = 0
  for (let over = false; !over; ) {
    try {
      await tenSteps({
        storage,
        session: trial.session,
        memory: 'step',
        toolMs: 5,
        onPrompt: (items) => {
          orphans += pairingFaults(JSON.parse(items)).length
        },
        onRun: (callId) => add(ran, callId),
        onRerun: (callId) => add(allowed, callId),
      })
      over = true
    } catch (error) {
      // `CONFLICT`: what the run before saved last came through late.
      const known = error instanceof HoldfastError && FAILURES.has(error.code)
      if (!known || ++failed > MOST_TRIES) throw error
      if (error.outcome === 'unknown') unknown++
    }
  }
  const ranUnasked = [...ran].filter(([id, times]) => times > 1 + (allowed.get(id) ?? 0)).length
  return { failed, unknown, orphans, ranUnasked }
}

const itemsOf = async (storage: Parameters<typeof tenSteps>[0]['storage'], session: string) =>
  inOrder((await storage.memory(session).snapshot()).items).map((item) => JSON.stringify(item))

/** (c) An agent runs while 30 % of what the server answers is cut off, comes late or never. */
export async function breakNetwork(trial: Trial): Promise<NetworkCounts> {
  const { target, place, session, random } = trial
  const fates = { answers: 0, cut: 0, delayed: 0, swallowed: 0 }
  let broken = false
  let ending: NodeJS.Timeout | undefined
  const end = () => {
    ending = undefined
    proxied.disconnect()
  }
  const spared = SPARED[/^[\w-]+:/.exec(place.url)?.[0] ?? ''] ?? 0
  const decide = ({ direction, number }: Burst): Fate => {
    if (!broken || direction === 'request' || number <= spared) return 'pass'
    fates.answers++
    if (!random.chance(BROKEN)) return 'pass'
    const fate = random.pick(['cut', 'delayed', 'swallowed'] as const)
    fates[fate]++
    if (fate === 'swallowed') ending ??= setTimeout(end, SWALLOWS_MS)
    if (fate === 'delayed') return { delayMs: random.integer(1, MOST_DELAY_MS) }
    return fate === 'cut' ? 'cut' : 'swallow'
  }
  const unbroken = createStorage(new MemoryDriver())
  await runThrough(trial, unbroken)
  const expected = await itemsOf(unbroken, session)

  const { open } = targetOf(target)
  const proxied = await openProxied(place, decide)
  try {
    const storage = await open(proxied.place, { timeoutMs: TIMEOUT_MS })
    broken = true
    const { unknown, orphans, ...run } = await runThrough(trial, storage)
    broken = false
    await storage.close()
    const fresh = await open(place)
    const stored = await itemsOf(fresh, session)
    await fresh.close()
    const times = (list: readonly string[], text: string) =>
      list.filter((one) => one === text).length
    return {
      acknowledged: expected.length,
      lost: expected.filter((text) => !stored.includes(text)).length,
      doubled: [...new Set(stored)].filter((text) => times(stored, text) > 1).length,
      unknown,
      unknownStored: 0,
      refused: 0,
      stray: stored.filter((text) => !expected.includes(text)).length + orphans,
      disordered: stored.join() === expected.join() ? 0 : 1,
      ...fates,
      ...run,
    }
  } finally {
    clearTimeout(ending)
    await proxied.close()
  }
}
