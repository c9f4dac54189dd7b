import { HoldfastError } from '@holdfast/core'
import type { Dialect } from './dialects/dialect.ts'
import { isUnreachable } from './dialects/error-chain.ts'

/** How long opening goes on while other processes hold locks, in ms. */
const PATIENCE_MS = 30_000

/**
 * Tries again while the database is busy with others, without blocking the event loop in between. One that
 * cannot be reached is an error at once: a wrong address should not take half a minute to show.
 */
export async function patiently<T>(classify: Dialect['classify'], work: () => Promise<T>) {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (classify(error) !== 'transient' || isUnreachable(error) || performance.now() > end)
        throw error
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 45))
    }
  }
}

/** What is done once before a storage is used: a look at the database, and its tables. */
export async function prepareDatabase(dialect: Dialect, setup: boolean): Promise<void> {
  const encoding = await patiently(dialect.classify, () => dialect.encoding())
  if (!/^utf-?8$/i.test(encoding)) {
    throw new HoldfastError(
      'UNSUPPORTED',
      `The database encodes text as ${encoding}, in which ids are not ordered by their UTF-8 bytes: use a database made with UTF8.`,
    )
  }
  if (setup) await patiently(dialect.classify, () => dialect.setup())
}
