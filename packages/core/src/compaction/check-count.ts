import { wrong } from '../errors.ts'

/** Refuses with `INVALID_ARGUMENT` what is given and no whole number of at least `least`. */
export function checkCount(counts: Readonly<Record<string, unknown>>, least: number): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (Number.isSafeInteger(count) && (count as number) >= least)) continue
    throw wrong(name, `a whole number of at least ${least}`, count)
  }
}
