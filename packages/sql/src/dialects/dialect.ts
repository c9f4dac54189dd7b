import type { Append, ErrorKind, Listed, StoredSession, Version } from '@holdfast/core'

/** What one statement reads of a session. */
export interface Cell {
  readonly revision: string
  /** `null` where the revision is the one that the reader already has; there are no entries then. */
  readonly head: string | null
  readonly entries: readonly string[]
}

/**
 * What differs from database to database: the statements, and how one step of the contract becomes
 * atomic. The seam for every further engine. Writes answer whether they happened.
 *
 * The two tables are the same everywhere: a row per session, with a number of its own, and a row per
 * entry, which carries that number and not the id (an id in every row and again in its index is a tenth
 * of what a chat takes on disk). An entry's number `n` is never reused while its session
 * exists: the live ones are `first ≤ n < next`, `append` adds behind `next`, and `replace` writes behind
 * the old rows before it deletes them, so no statement ever changes an entry's row.
 */
export interface Dialect {
  /** Makes the tables where they are missing. Idempotent, and safe when many processes do it at once. */
  setup(): Promise<void>
  /** How the database encodes text: the order of ids is the order of bytes only in UTF-8. */
  encoding(): Promise<string>
  read(id: string, unless: string | null, skip: number): Promise<Cell | undefined>
  create(id: string, next: StoredSession): Promise<boolean>
  replace(id: string, next: StoredSession, expected: string): Promise<boolean>
  /** Answers the new version; a token in it comes back with the next append. */
  append(id: string, change: Append, expected: Version): Promise<Version | false>
  remove(id: string, expected: string): Promise<boolean>
  list(after: string, before: string | undefined, limit: number): Promise<Listed[]>
  readonly classify: (error: unknown) => ErrorKind | undefined
}

/** A row of the reading statement: the head's has `n` = -1 and a revision, an entry's its body alone. */
export interface CellRow {
  readonly n: unknown
  readonly body: unknown
  readonly revision: unknown
}

/** Makes a cell of the reading statement's rows. No plan of a database puts them out of order today; none promises it. */
export function toCell(rows: CellRow[]): Cell | undefined {
  let last = Number.NEGATIVE_INFINITY
  let ordered = true
  for (const { n } of rows) {
    const number = Number(n)
    if (number < last) ordered = false
    last = number
  }
  if (!ordered) rows.sort((one, other) => Number(one.n) - Number(other.n))
  const top = rows[0]
  if (!top) return undefined
  const entries = new Array<string>(rows.length - 1)
  for (let i = 1; i < rows.length; i++) entries[i - 1] = rows[i]?.body as string
  return { revision: top.revision as string, head: top.body as string | null, entries }
}
