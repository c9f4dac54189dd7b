import { invalid, show } from '../errors.ts'

/** Refuses what is neither true nor false. */
export function checkFlag(name: string, value: unknown): void {
  if (typeof value !== 'boolean')
    throw invalid(`${name} must be true or false, got ${show(value)}.`)
}

/** Refuses what is no whole number from `min` to `max`, for the reason `because`. */
export function checkWhole(
  name: string,
  value: unknown,
  [min, max]: readonly [min: number, max: number],
  because = '',
): void {
  if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return
  const why = because && `: ${because}`
  throw invalid(`${name} must be a whole number from ${min} to ${max}, got ${show(value)}${why}.`)
}
