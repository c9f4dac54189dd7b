import { messages } from '../bytes.ts'
import type { Engine } from '../engine.ts'
import { interleave } from '../rounds.ts'
import { ratios, type Spread, spreadOf } from '../statistics.ts'
import { type Compared, compared, type Effort, ITEM_BYTES, SIZES, sample } from './compared.ts'

const LARGE_ITEMS = 1_000
const PAGE = 20
/** Sessions side by side that are large: two pages and the one behind. */
const LARGE = { from: 100, count: 2 * PAGE + 1 }
const PAGES = 10
const SESSIONS = { least: 250, most: 10_000 }
/** Writes on their way at once while the sessions are made. */
const LANES = 16

export interface PageResult extends Compared {
  readonly sessions: number
  /** A page of sessions of 1,000 items against one of sessions of one, round by round. */
  readonly growth: Spread
}

const name = (number: number) => `session ${String(number).padStart(5, '0')}`
const isLarge = (number: number) => number >= LARGE.from && number < LARGE.from + LARGE.count

/** A page of 20 out of all sessions. */
export async function page(
  engine: Engine,
  effort: Effort & { readonly fillMs: number },
): Promise<PageResult> {
  const sessions = await fill(engine, effort.fillMs)
  const scope = engine.storage.scope('pages')
  const listed = await scope.listMemories({ after: name(LARGE.from - 1), limit: PAGE })
  if (listed.memories[0]?.id !== name(LARGE.from) || listed.memories.length !== PAGE) {
    throw new Error(`the page is wrong: ${JSON.stringify(listed)}`)
  }
  const behind = LARGE.from + LARGE.count
  const small = Array.from({ length: PAGES }, (_, at) =>
    name(behind + ((at * 977) % (sessions - behind - PAGE - 2))),
  )
  const large = Array.from({ length: PAGES }, (_, at) => name(LARGE.from - 1 + 2 * at))
  const listing = (starts: readonly string[]) => ({
    operations: PAGES,
    prepare: async () => async () => {
      for (const after of starts) await scope.listMemories({ after, limit: PAGE })
    },
  })
  const measured = await interleave(
    {
      small: listing(small),
      large: listing(large),
      bare: { operations: PAGES, prepare: async () => () => engine.bare.list(small) },
    },
    effort,
  )
  return {
    ...compared(measured.small, measured.bare),
    sessions,
    growth: spreadOf(ratios(measured.large, measured.small)),
  }
}

/** As many sessions as there is time for; answers their number. */
async function fill({ storage, bare }: Engine, fillMs: number): Promise<number> {
  const scope = storage.scope('pages')
  const bytes = await sample(SIZES[0])
  const start = performance.now()
  let number = 0
  const lane = async () => {
    while (
      number < SESSIONS.least ||
      (number < SESSIONS.most && performance.now() - start < fillMs)
    ) {
      const mine = number++
      const items = messages(isLarge(mine) ? LARGE_ITEMS : 1, ITEM_BYTES)
      await scope.memory(name(mine)).restore({ items })
      await bare.create(name(mine), bytes, items.length)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return number
}
