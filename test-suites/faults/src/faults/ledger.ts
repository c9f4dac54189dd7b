import { HoldfastError } from '@holdfast/core'

/** What became of the writes of one trial. */
export interface Counts {
  /** Calls that resolved. */
  acknowledged: number
  /** Of them, those that are not stored. */
  lost: number
  /** Items that are stored more than once. */
  doubled: number
  /** Calls that failed and do not know whether they were applied, or whose process was killed. */
  unknown: number
  /** Of them, those that are stored. */
  unknownStored: number
  /** Calls that failed as not applied. */
  refused: number
  /** Items that are stored although their call said that it was not applied, or that nobody wrote. */
  stray: number
  /** Items that are stored before an earlier one of their writer. */
  disordered: number
}

/** Whether nothing happened that must not. */
export const isClean = ({ lost, doubled, stray, disordered }: Counts): boolean =>
  lost + doubled + stray + disordered === 0

/** What a write may fail with that has nothing wrong with it. */
const FAILURES: ReadonlySet<string> = new Set(['STORAGE_FAILED', 'CONFLICT'])

/** A writer and how many items of it came before: `0.3/12`. */
const parse = (token: string): [writer: string, number: number] => {
  const at = token.lastIndexOf('/')
  return [token.slice(0, at), Number(token.slice(at + 1))]
}

/** What the writers of a trial were told, item by item; then compared with what is stored. */
export class Ledger {
  readonly acknowledged = new Set<string>()
  readonly unknown = new Set<string>()
  readonly refused = new Set<string>()

  /**
   * Makes a write and notes how it ended; answers whether it was acknowledged. Throws where it fails with
   * anything but an error of Holdfast's that says whether it was applied.
   */
  async write(token: string, call: () => Promise<void>): Promise<boolean> {
    try {
      await call()
    } catch (error) {
      if (!(error instanceof HoldfastError && FAILURES.has(error.code) && error.outcome))
        throw error
      if (error.outcome !== 'committed') {
        this[error.outcome === 'unknown' ? 'unknown' : 'refused'].add(token)
        return false
      }
    }
    this.refused.delete(token)
    this.acknowledged.add(token)
    return true
  }

  /** Compares with the items that are stored, in their order. */
  compare(stored: readonly string[]): Counts {
    const times = new Map<string, number>()
    for (const token of stored) times.set(token, (times.get(token) ?? 0) + 1)
    const known = (token: string) => this.acknowledged.has(token) || this.unknown.has(token)
    const count = (tokens: Iterable<string>, holds: (token: string) => boolean) =>
      [...tokens].filter(holds).length
    return {
      acknowledged: this.acknowledged.size,
      lost: count(this.acknowledged, (token) => !times.has(token)),
      doubled: count(times.keys(), (token) => Number(times.get(token)) > 1),
      unknown: this.unknown.size,
      unknownStored: count(this.unknown, (token) => times.has(token)),
      refused: this.refused.size,
      stray: count(times.keys(), (token) => !known(token)),
      disordered: disorder(stored),
    }
  }
}

function disorder(stored: readonly string[]): number {
  const last = new Map<string, number>()
  let found = 0
  for (const token of stored) {
    const [writer, number] = parse(token)
    if (number < (last.get(writer) ?? -1)) found++
    last.set(writer, Math.max(number, last.get(writer) ?? -1))
  }
  return found
}
