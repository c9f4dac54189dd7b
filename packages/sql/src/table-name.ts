import { invalid } from '@holdfast/core/adapter'

/** Where everything is kept. All names are plain SQL identifiers, safe between double quotes. */
export interface TableNames {
  /** A PostgreSQL schema, or the name of an attached SQLite database. */
  readonly schema?: string
  /** One row per session. */
  readonly sessions: string
  /** One row per entry. */
  readonly entries: string
}

export const defaultTable = 'holdfast'

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/
// PostgreSQL cuts names at 63 bytes without a word, so that two long names could meet in one table.
const longest = 63 - '_sessions'.length

/**
 * The tables behind a `table` option: `holdfast` gives `holdfast_sessions` and `holdfast_entries`,
 * `memory.holdfast` the same in the schema `memory`. Anything else is `INVALID_ARGUMENT`.
 */
export function tableNames(table: unknown = defaultTable): TableNames {
  const parts = typeof table === 'string' ? table.split('.') : []
  const base = parts.at(-1) ?? ''
  const schema = parts.length === 2 ? parts[0] : undefined
  const valid =
    (parts.length === 1 || parts.length === 2) &&
    parts.every((part) => identifier.test(part)) &&
    base.length <= longest &&
    (schema?.length ?? 0) <= 63
  if (!valid) {
    const shown = typeof table === 'string' ? JSON.stringify(table.slice(0, 80)) : typeof table
    throw invalid(
      `table is ${shown}: give an SQL identifier (letters, digits and _, at most ${longest} of them, not starting with a digit), optionally behind a schema: 'holdfast' or 'my_schema.holdfast'`,
    )
  }
  // Both databases refuse tables of these names, with messages that do not name the option.
  if (/^sqlite_/i.test(base) || /^pg_/i.test(schema ?? '')) {
    throw invalid(
      `table is ${JSON.stringify(table)}: names that begin with sqlite_ and schemas that begin with pg_ belong to the database`,
    )
  }
  const names = { sessions: `${base}_sessions`, entries: `${base}_entries` }
  return schema === undefined ? names : { schema, ...names }
}

/** A table's name as statements spell it. */
export function quoted(names: TableNames, table: 'sessions' | 'entries'): string {
  const name = `"${names[table]}"`
  return names.schema === undefined ? name : `"${names.schema}".${name}`
}
