import { HoldfastError } from '@holdfast/core'
import type { BoundCase } from './case.ts'

/**
 * Declared limitations: case id → reason. An id alone counts in every group that runs the case;
 * `group/id` counts in that group only.
 */
export type Limits = Readonly<Record<string, string>>

/** The declared reason for `current`, if there is one. */
export const limitOf = (limits: Limits, current: BoundCase): string | undefined =>
  limits[`${current.group}/${current.id}`] ?? limits[current.id]

/** Whether `key` (`id`, or `group/id`) names `current`. */
export const names = (key: string, current: Pick<BoundCase, 'group' | 'id'>): boolean =>
  current.id === key || `${current.group}/${current.id}` === key

/** `INVALID_ARGUMENT` for a limit that names no case, that names a race, or that gives no reason. */
export function checkLimits(limits: Limits, cases: readonly BoundCase[]): void {
  for (const [key, reason] of Object.entries(limits)) {
    const named = cases.filter((it) => names(key, it))
    if (named.length === 0) {
      throw new HoldfastError(
        'INVALID_ARGUMENT',
        `limits names ${JSON.stringify(key)}, but no case has that id; correct or remove it.`,
      )
    }
    if (named.some((it) => it.race)) {
      throw new HoldfastError(
        'INVALID_ARGUMENT',
        `limits names ${JSON.stringify(key)}, which is a race: writers that overwrite each other lose data, so races cannot be declared away.`,
      )
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw new HoldfastError(
        'INVALID_ARGUMENT',
        `limits[${JSON.stringify(key)}] must give the reason for the limit, as text.`,
      )
    }
  }
}
