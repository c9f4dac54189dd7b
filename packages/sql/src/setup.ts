import { HoldfastError } from '@holdfast/core'
import { retryWhile, within } from '@holdfast/core/adapter'
import type { Dialect } from './dialects/dialect.ts'
import { isUnreachable } from './dialects/error-chain.ts'

/**
 * Tries again while the database is busy with others. One that cannot be reached is an error at once: a wrong
 * address should not take half a minute to show.
 */
export const patiently = <T>(classify: Dialect['classify'], work: () => Promise<T>): Promise<T> =>
  retryWhile((error) => classify(error) === 'transient' && !isUnreachable(error), work, [5, 50])

/** What is done once before a storage is used: a look at the database, and its tables; each within `timeoutMs`. */
export async function prepareDatabase(
  dialect: Dialect,
  setup: boolean,
  timeoutMs: number,
): Promise<void> {
  const timely = <T>(work: () => Promise<T>) =>
    patiently(dialect.classify, () => within(timeoutMs, work()))
  const encoding = await timely(() => dialect.encoding())
  if (!/^utf-?8$/i.test(encoding)) {
    throw new HoldfastError(
      'UNSUPPORTED',
      `The database encodes text as ${encoding}, in which ids are not ordered by their UTF-8 bytes: use a database made with UTF8.`,
    )
  }
  if (setup) await timely(() => dialect.setup())
}
