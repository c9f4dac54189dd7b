import { HoldfastError } from '@holdfast/core'
import { invalid } from '@holdfast/core/adapter'

/** What a storage inside of a caller's transaction says once that is over. */
export const transactionOver = () =>
  new HoldfastError(
    'CLOSED',
    'The transaction that this storage was made in is over: make one of the database, or in the next transaction.',
  )

/** No cause: it would read as a race that may be run again, which the transaction's old view of the data forbids. */
export const overtaken = () =>
  new HoldfastError(
    'CONFLICT',
    'Another transaction changed this session after this one began, or the two waited for each other: roll back and run the transaction again.',
  )

/** Making tables would end a transaction on some databases, and hold others up on the rest. */
export const tablesMissing = (tables: readonly string[]) =>
  invalid(
    `The tables ${tables.join(' and ')} are missing, and in a transaction none are made: call sqlStorage(db) on the database once before, or run a migration.`,
  )
