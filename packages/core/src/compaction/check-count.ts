import { wrong } from '../errors.ts'

/** Refuses with `INVALID_ARGUMENT` what is given and no whole number of at least `least`. */
export function checkCount(name: string, count: number | undefined, least: number): void {
  if (count === undefined || (Number.isSafeInteger(count) && count >= least)) return
  throw wrong(name, `a whole number of at least ${least}`, count)
}
