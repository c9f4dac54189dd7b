import type { Append, Listed, StoredSession, Version } from '@holdfast/core'
import { quoted, type TableNames } from '../table-name.ts'
import { type Cell, type CellRow, type Dialect, toCell } from './dialect.ts'
import { COLUMNS, otherLayout } from './layout.ts'
import { classifyPg, lostRace } from './pg-errors.ts'
import { type Amount, pgDefinition, pgStatements } from './pg-statements.ts'

export type Value = string | number | null
export type Rows = Record<string, unknown>[]
type Values = Record<string, Value>

/**
 * How one client runs statements: past drizzle's session, which adds a third to the cost of an append.
 * Errors come without the values of the statement.
 */
export interface PgRunner {
  /** One statement. The same text comes again and again, so a plan may be kept for it. */
  read(text: string, values: Value[]): Promise<Rows>
  write(text: string, values: Value[]): Promise<Rows>
  /** Several statements without values as one message, which PostgreSQL runs all or not at all. Missing where no tables are made. */
  script?(text: string): Promise<unknown>
}

/** PostgreSQL through any client. */
export class PgDialect implements Dialect {
  readonly #runner: PgRunner
  readonly #names: TableNames
  readonly #statements: ReturnType<typeof pgStatements>
  readonly #numbered = new Map<string, Numbered>()

  /** @param condition SQL that must hold for a statement to find or change anything. */
  constructor(runner: PgRunner, names: TableNames, condition?: string) {
    this.#runner = runner
    this.#names = names
    this.#statements = pgStatements(names, condition)
  }

  async setup(): Promise<void> {
    // Looking first spares every later start the lock, and roles without CREATE can start at all.
    // A table that was made while this runs is known by its name and not yet to be seen: nothing of it is missing.
    const [found] = await this.#read(
      `SELECT count(DISTINCT t.name) AS tables, count(c.oid) FILTER (WHERE a.attname IS NULL) AS missing
        FROM (VALUES (:sessions, :columns), (:entries, :entryColumns)) AS t (name, columns)
        CROSS JOIN LATERAL unnest(string_to_array(t.columns, ',')) AS own (name)
        LEFT JOIN pg_class c ON c.oid = to_regclass(t.name)
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname::text = own.name
        WHERE to_regclass(t.name) IS NOT NULL`,
      {
        sessions: quoted(this.#names, 'sessions'),
        columns: COLUMNS.sessions.join(),
        entries: quoted(this.#names, 'entries'),
        entryColumns: COLUMNS.entries.join(),
      },
    )
    if (Number(found?.['missing']) > 0) throw otherLayout(this.#names)
    if (Number(found?.['tables']) === 2) return
    const script = [
      // Who comes second finds everything there, which is no news to anybody's console.
      'SET LOCAL client_min_messages = warning',
      // IF NOT EXISTS alone fails when several processes create at once. The number is this library's own.
      'SELECT pg_advisory_xact_lock(7021774628)',
      ...pgDefinition(this.#names),
    ]
    await this.#runner.script?.(script.join(';\n'))
  }

  async encoding(): Promise<string> {
    const rows = await this.#read("SELECT current_setting('server_encoding') AS encoding", {})
    return String(rows[0]?.['encoding'])
  }

  async read(id: string, unless: string | null, skip: number): Promise<Cell | undefined> {
    const rows = await this.#read(this.#statements.read, { id, unless, skip })
    return toCell(rows as unknown as CellRow[])
  }

  create(id: string, next: StoredSession): Promise<boolean> {
    const { revision, head, entries } = next
    const { amount, values } = added(entries)
    return this.#write(this.#statements.create[amount], { id, revision, head, ...values })
  }

  replace(id: string, next: StoredSession, expected: string): Promise<boolean> {
    const { revision, head, entries } = next
    const { amount, values } = added(entries)
    const statement = this.#statements.replace[amount]
    return this.#write(statement, { id, revision, head, expected, ...values })
  }

  async append(id: string, change: Append, { revision: expected }: Version) {
    const { revision, head, drop, entries } = change
    const { amount, values } = added(entries)
    const statement = this.#statements[drop > 0 ? 'dropAndAppend' : 'append'][amount]
    const done = await this.#write(statement, { id, revision, head, drop, expected, ...values })
    return done && { revision }
  }

  remove(id: string, expected: string): Promise<boolean> {
    return this.#write(this.#statements.remove, { id, expected })
  }

  async list(after: string, before: string | undefined, limit: number): Promise<Listed[]> {
    const { list, listBefore } = this.#statements
    const rows =
      before === undefined
        ? await this.#read(list, { after, limit })
        : await this.#read(listBefore, { after, before, limit })
    return rows as unknown as Listed[]
  }

  readonly classify = classifyPg

  #read(text: string, values: Values): Promise<Rows> {
    const { text: numbered, list } = this.#bind(text, values)
    return this.#runner.read(numbered, list)
  }

  async #write(text: string, values: Values): Promise<boolean> {
    const { text: numbered, list } = this.#bind(text, values)
    try {
      return (await this.#runner.write(numbered, list)).length === 1
    } catch (error) {
      // Serialization failure and deadlock: the database rolled this statement back because another writer was there.
      if (lostRace(error)) return false
      throw error
    }
  }

  #bind(text: string, values: Values): { text: string; list: Value[] } {
    let statement = this.#numbered.get(text)
    if (!statement) {
      statement = numbered(text)
      this.#numbered.set(text, statement)
    }
    return { text: statement.text, list: statement.names.map((name) => values[name] ?? null) }
  }
}

/** One entry as it is, several as one JSON array: a parameter each would meet the protocol's limit of 65,535. */
function added(entries: readonly string[]): { amount: Amount; values: Values } {
  const [body] = entries
  if (body === undefined) return { amount: 'none', values: { count: 0 } }
  if (entries.length === 1) return { amount: 'one', values: { count: 1, body } }
  return { amount: 'many', values: { count: entries.length, body: JSON.stringify(entries) } }
}

export interface Numbered {
  readonly text: string
  readonly names: readonly string[]
}

/** `:name` to `$1`, the same name always to the same number. `::type` is a cast. */
export function numbered(text: string): Numbered {
  const names: string[] = []
  const withNumbers = text.replace(/(?<!:):(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return { text: withNumbers, names }
}
