import type { Append, SessionDriver, StoredSession, Version } from '@holdfast/core'
import { InjectedFault } from './injected-fault.ts'
import type { LateRequests } from './late-requests.ts'
import type { Oracle } from './oracle/oracle.ts'
import type { Random } from './random.ts'

/** What may happen to one request, and how often in proportion to the others. */
const WRITE_FAULTS = {
  unsent: 4,
  lost: 6,
  late: 5,
  false: 4,
  slow: 3,
  'slow answer': 3,
  silent: 0.1,
} as const
const READ_FAULTS = { unsent: 3, lost: 3, slow: 4, silent: 0.05 } as const

export type FaultKind = keyof typeof WRITE_FAULTS

export type FaultCounts = Record<FaultKind | 'read' | 'lost race', number>

export const noFaults = (): FaultCounts => ({
  unsent: 0,
  lost: 0,
  late: 0,
  false: 0,
  slow: 0,
  'slow answer': 0,
  silent: 0,
  read: 0,
  'lost race': 0,
})

export interface FaultOptions {
  readonly random: Random
  /** Share of requests that meet a fault, 0 to 1. */
  readonly rate: number
  readonly late: LateRequests
  readonly oracle: Oracle
  readonly counts: FaultCounts
  /** Names the storage on top. */
  readonly storage: string
  /** Offer `append`, if the backend has it. */
  readonly append: boolean
}

/** Longest wait of a slow request, in ms of virtual time; core gives up after 15 s. */
const SLOW_MS = 400
/** A late request lands at most this many calls of the backend later, one in ten much later. */
const LATE_CALLS = 60
const VERY_LATE_CALLS = 5_000

/** A backend behind a bad network: requests and answers get lost, late and false, and the oracle is told what was applied. */
export function faultDriver(inner: SessionDriver, options: FaultOptions): SessionDriver {
  const { random, rate, late, oracle, counts, storage } = options

  const pause = () =>
    new Promise<void>((resolve) => setTimeout(resolve, random.next() * random.next() * SLOW_MS))
  const broken = (what: string) =>
    new InjectedFault(what, random.chance(0.9) ? 'transient' : undefined)
  const never = () => new Promise<never>(() => {})

  async function read<T>(send: () => Promise<T>): Promise<T> {
    late.tick()
    if (!random.chance(rate)) return send()
    counts.read++
    switch (random.weighted(READ_FAULTS)) {
      case 'unsent':
        throw new InjectedFault('the request was lost')
      case 'lost':
        await send()
        throw random.chance(0.97) ? new InjectedFault('the answer was lost') : broken('odd answer')
      case 'slow':
        await pause()
        return send()
      case 'silent':
        return never()
    }
  }

  async function write(
    id: string,
    expected: Version | null,
    next: { revision: string; head: string; drop: number; entries: readonly string[] },
    send: () => Promise<Version | false>,
  ): Promise<Version | false> {
    late.tick()
    const candidates = oracle.candidates(storage, id)
    const entries = [...next.entries]
    const perform = async () => {
      const version = await send()
      if (version) {
        oracle.applied({
          id,
          expected: expected?.revision ?? null,
          ...next,
          entries,
          candidates,
          storage,
        })
      } else {
        counts['lost race']++
      }
      return version
    }
    if (!random.chance(rate)) return perform()
    const fault = random.weighted(WRITE_FAULTS)
    counts[fault]++
    switch (fault) {
      case 'unsent':
        throw broken('the request was lost')
      case 'lost':
        await perform()
        throw broken('the answer was lost')
      case 'late':
        late.add(random.integer(1, random.chance(0.1) ? VERY_LATE_CALLS : LATE_CALLS), perform)
        throw broken('the connection broke')
      case 'false':
        await perform()
        return false
      case 'slow':
        await pause()
        return perform()
      case 'slow answer': {
        const answer = await perform()
        await pause()
        return answer
      }
      case 'silent':
        if (random.chance(0.5)) await perform()
        return never()
    }
  }

  const driver: SessionDriver = {
    read: (id, query) => read(() => inner.read(id, query)),
    list: (query) => read(() => inner.list(query)),
    replace: (id: string, next: StoredSession, expected: Version | null) =>
      write(id, expected, { ...next, drop: Number.POSITIVE_INFINITY }, () =>
        inner.replace(id, next, expected),
      ),
    classify: (error) => (error instanceof InjectedFault ? error.kind : inner.classify?.(error)),
  }
  if (inner.append && options.append) {
    driver.append = (id: string, change: Append, expected: Version) =>
      write(id, expected, change, async () => inner.append?.(id, change, expected) ?? false)
  }
  return driver
}
