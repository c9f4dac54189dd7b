import type { Append, Listed, StoredSession, Version } from '@holdfast/core'
import type { TableNames } from '../table-name.ts'
import { type Cell, type CellRow, type Dialect, toCell } from './dialect.ts'
import { classifyLibsql } from './libsql-errors.ts'
import { libsqlTexts } from './libsql-statements.ts'
import { tableMissing } from './sqlite-errors.ts'
import { sqliteDefinition, sqliteProbe } from './sqlite-statements.ts'

export interface LibsqlStatement {
  readonly sql: string
  readonly args: (string | number | null)[]
}

export interface LibsqlResult {
  readonly rows: readonly object[]
  readonly rowsAffected: number
}

/** How statements get to a database: a client, or a transaction of the caller's. */
export interface LibsqlRunner {
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  /** Several, all or nothing, in one round trip where there is a network. */
  batch(statements: LibsqlStatement[]): Promise<LibsqlResult[]>
}

type Values = LibsqlStatement['args']

/**
 * SQLite through a client that answers later, over a file or a network. Each write is one batch: between
 * the statements of an interactive transaction other requests would find the file locked.
 */
export class LibsqlDialect implements Dialect {
  readonly #runner: LibsqlRunner
  readonly #names: TableNames
  readonly #texts: ReturnType<typeof libsqlTexts>

  constructor(runner: LibsqlRunner, names: TableNames) {
    this.#runner = runner
    this.#names = names
    this.#texts = libsqlTexts(names)
  }

  async setup(): Promise<void> {
    // Looking first spares every later start the write lock.
    if (await this.found()) return
    await this.#runner.batch(sqliteDefinition(this.#names).map((sql) => ({ sql, args: [] })))
  }

  /** Whether both tables are there. */
  async found(): Promise<boolean> {
    try {
      await this.#rows(sqliteProbe(this.#names), [])
      return true
    } catch (error) {
      return !tableMissing(error, this.#names)
    }
  }

  async encoding(): Promise<string> {
    // Not by PRAGMA encoding: a server need not allow it. The euro sign is 3 bytes in UTF-8 alone.
    const [row] = (await this.#rows("SELECT hex(CAST('€' AS BLOB)) AS bytes", [])) as {
      bytes: unknown
    }[]
    return row?.bytes === 'E282AC' ? 'UTF-8' : 'UTF-16'
  }

  async read(id: string, unless: string | null, skip: number): Promise<Cell | undefined> {
    return toCell((await this.#rows(this.#texts.read, [unless, id, skip, id, unless])) as CellRow[])
  }

  create(id: string, { revision, head, entries }: StoredSession): Promise<boolean> {
    const { create } = this.#texts
    return this.#write([
      { sql: create, args: [id, revision, head, entries.length] },
      ...this.#insert(id, revision, entries),
    ])
  }

  replace(id: string, next: StoredSession, expected: string): Promise<boolean> {
    const { revision, head, entries } = next
    const { replace } = this.#texts
    return this.#write([
      { sql: replace, args: [revision, head, entries.length, id, expected] },
      this.#cut(id, revision),
      ...this.#insert(id, revision, entries),
    ])
  }

  async append(id: string, change: Append, { revision: expected }: Version) {
    const { revision, head, drop, entries } = change
    const { append } = this.#texts
    const done = await this.#write([
      { sql: append, args: [revision, head, drop, entries.length, id, expected] },
      ...(drop > 0 ? [this.#cut(id, revision)] : []),
      ...this.#insert(id, revision, entries),
    ])
    return done && { revision }
  }

  async remove(id: string, expected: string): Promise<boolean> {
    const { removeEntries, remove } = this.#texts
    const args = [id, expected]
    const results = await this.#runner.batch([
      { sql: removeEntries, args },
      { sql: remove, args },
    ])
    return results[1]?.rowsAffected === 1
  }

  async list(after: string, before: string | undefined, limit: number): Promise<Listed[]> {
    const { list, listBefore } = this.#texts
    const rows =
      before === undefined
        ? await this.#rows(list, [after, limit])
        : await this.#rows(listBefore, [after, before, limit])
    return (rows as Listed[]).map(({ id, revision, head }) => ({ id, revision, head }))
  }

  readonly classify = classifyLibsql

  /** Whether the first statement, the guarded change, found its session. */
  async #write(statements: LibsqlStatement[]): Promise<boolean> {
    const results = await this.#runner.batch(statements)
    return results[0]?.rowsAffected === 1
  }

  #cut(id: string, revision: string): LibsqlStatement {
    return { sql: this.#texts.cut, args: [id, revision, id, revision] }
  }

  #insert(id: string, revision: string, entries: readonly string[]): LibsqlStatement[] {
    if (entries.length === 0) return []
    const args = [entries.length, JSON.stringify(entries), id, revision]
    return [{ sql: this.#texts.insert, args }]
  }

  async #rows(sql: string, args: Values): Promise<readonly object[]> {
    return (await this.#runner.execute({ sql, args })).rows
  }
}
