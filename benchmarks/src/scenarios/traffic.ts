import { messageOf, messages } from '../bytes.ts'
import type { Engine, Wired } from '../engine.ts'
import { ITEM_BYTES, sample } from './compared.ts'

/** Items of a session before the counted appends. */
export const TRAFFIC_SIZES = [10, 10_000] as const
const SESSIONS = 4
const APPENDS = 10
/** Appends before those: statements are prepared, scripts are loaded, the state is read. */
const FIRST = 3

/** Means of one append. */
export interface AppendTraffic {
  readonly roundTrips: number
  readonly requestBytes: number
  readonly answerBytes: number
}

export interface BothTraffics {
  readonly ours: AppendTraffic
  readonly bare: AppendTraffic
}

/** What a proxy counts of one append, by items of the session. */
export async function traffic(
  engine: Engine,
): Promise<Readonly<Record<number, BothTraffics>> | undefined> {
  const wired = await engine.wired?.()
  if (!wired) return undefined
  try {
    const at: Record<number, BothTraffics> = {}
    for (const size of TRAFFIC_SIZES) at[size] = await trafficAt(wired, size)
    return at
  } finally {
    await wired.close()
  }
}

async function trafficAt({ storage, ...wired }: Wired, size: number): Promise<BothTraffics> {
  const bytes = await sample(size)
  const item = messageOf(ITEM_BYTES, 7)
  const ours: AppendTraffic[] = []
  const bare: AppendTraffic[] = []
  for (let session = 0; session < SESSIONS; session++) {
    const memory = storage.memory(`traffic ${size} ${session}`)
    await memory.restore({ items: messages(size, ITEM_BYTES) })
    const id = `traffic ${size} ${session}`
    await wired.bare.create(id, bytes, size)
    for (let append = 0; append < FIRST + APPENDS; append++) {
      const our = await counted(wired, () => memory.addOutputItems([item]))
      const their = await counted(wired, () => wired.bare.append(id, bytes, 1))
      if (append < FIRST) continue
      ours.push(our)
      bare.push(their)
    }
  }
  return { ours: meanOf(ours), bare: meanOf(bare) }
}

async function counted(wired: Pick<Wired, 'traffic'>, run: () => unknown): Promise<AppendTraffic> {
  const before = wired.traffic()
  await run()
  const after = wired.traffic()
  return {
    roundTrips: after.roundTrips - before.roundTrips,
    requestBytes: after.requestBytes - before.requestBytes,
    answerBytes: after.answerBytes - before.answerBytes,
  }
}

function meanOf(all: readonly AppendTraffic[]): AppendTraffic {
  const mean = (key: keyof AppendTraffic) =>
    all.reduce((sum, one) => sum + one[key], 0) / all.length
  return {
    roundTrips: mean('roundTrips'),
    requestBytes: mean('requestBytes'),
    answerBytes: mean('answerBytes'),
  }
}
