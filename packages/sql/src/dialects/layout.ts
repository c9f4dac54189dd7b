import { HoldfastError } from '@holdfast/core'
import type { TableNames } from '../table-name.ts'

/**
 * The columns that every dialect has. They are also what tells a layout: one that this version must not write
 * into has another name for a column, and so is refused as the tables are looked at. Columns beside these are
 * the user's own.
 */
export const COLUMNS = {
  sessions: ['session', 'id', 'revision', 'head', 'first', 'next'],
  entries: ['session', 'n', 'body'],
} as const

/** All of them as a SELECT names them, with the tables as `s` and `e`. Qualified: to SQLite `"first"` alone may be a text. */
export const everyColumn = (quote: (name: string) => string): string =>
  [
    ...COLUMNS.sessions.map((name) => `s.${quote(name)}`),
    ...COLUMNS.entries.map((name) => `e.${quote(name)}`),
  ].join(', ')

/** The tables are there, and a column of ours is not. */
export const otherLayout = ({ sessions, entries }: TableNames) =>
  new HoldfastError(
    'UNSUPPORTED',
    `The tables ${sessions} and ${entries} lack columns that this version of @holdfast/sql uses: a later version made them, or something else. Upgrade @holdfast/sql, or choose other tables by the option table.`,
    { outcome: 'not-committed' },
  )
