/** One side of a comparison: prepares a round untimed and answers what is timed. */
export interface Side {
  /** Operations of one round. */
  readonly operations: number
  prepare(): Promise<() => unknown>
}

/** More often, and what the engine has compiled and cached would be thrown away with the rest. */
const ROUNDS_PER_COLLECTION = 20

/** µs that went by. */
const wallTime = () => Number(process.hrtime.bigint()) / 1_000

/** µs that this process computed: the measure of what waits for nothing, on a machine that others use, too. */
export const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** How much to measure. */
export interface Rounds {
  /** At most. */
  readonly rounds: number
  /** Rounds before those, which do not count. At most. */
  readonly warmUp: number
  /** After so much time no round begins, but for the fewest that mean anything. None: all rounds. */
  readonly budgetMs?: number
}

/** So many at least, however slow: half of them tell a quartile. */
const LEAST = { rounds: 9, warmUp: 2 }
/** Of the time. */
const WARM_UP_SHARE = 0.2

/** µs per operation, round by round. */
export type Measured<Name extends string> = Record<Name, number[]>

/**
 * Runs all sides in turn, round after round, each time from another one on, so that none always follows
 * the same other. A library that runs one task to its end before
 * the next would compare two different minutes of a shared machine. Rounds are many and short, so that most
 * of them end before the system gives the processor to somebody else.
 */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { rounds, warmUp, budgetMs = Number.POSITIVE_INFINITY }: Rounds,
  now = wallTime,
): Promise<Measured<Name>> {
  const names = Object.keys(sides) as Name[]
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Measured<Name>
  let start = performance.now()
  const isOver = (share: number) => performance.now() - start > share * budgetMs
  let warm = 0
  let counted = 0
  for (let round = 0; counted < rounds; round++) {
    const warming = warm < (isOver(WARM_UP_SHARE) ? LEAST.warmUp : warmUp)
    if (!warming && counted >= LEAST.rounds && isOver(1)) break
    if (warming) warm++
    else counted++
    // What other rounds left behind is collected now, not in somebody's time. Absent without --expose-gc.
    if (round % ROUNDS_PER_COLLECTION === 0) globalThis.gc?.()
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as Name
      const { operations, prepare } = sides[name]
      const run = await prepare()
      const begin = now()
      // Awaiting what returns nothing costs a turn of the microtask queue: the bare side must not pay it.
      const running = run()
      if (running instanceof Promise) await running
      const microseconds = now() - begin
      if (!warming) measured[name].push(microseconds / operations)
    }
    // The first round also makes the sessions that all others use.
    if (round === 0) start = performance.now()
  }
  return measured
}
