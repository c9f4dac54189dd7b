import type { Append, Listed, StoredSession, Version } from '@holdfast/core'
import type { TableNames } from '../table-name.ts'
import { type Cell, type CellRow, type Dialect, toCell } from './dialect.ts'
import { classifySqlite, tableMissing } from './sqlite-errors.ts'
import {
  prepareStatements,
  type SqliteClient,
  type Statement,
  type Statements,
  sqliteDefinition,
  sqliteProbe,
} from './sqlite-statements.ts'

/** Where a session's entries are. */
interface Place {
  readonly session: number
  readonly first: number
  readonly next: number
}

interface Transaction {
  readonly begin: Statement
  readonly commit: Statement
  readonly rollback: readonly Statement[]
}

/**
 * SQLite through a client whose calls return when they are done. A transaction begins and ends inside
 * one call: were anything awaited in between, another request's statements would land in it.
 */
export class SqliteDialect implements Dialect {
  readonly #client: SqliteClient
  readonly #names: TableNames
  readonly #transaction: Transaction
  readonly #savepoint: Transaction
  #prepared: Statements | undefined

  constructor(client: SqliteClient, names: TableNames) {
    this.#client = client
    this.#names = names
    this.#transaction = {
      // IMMEDIATE: a transaction that begins as a reader may find, at its first write, that it cannot become a writer.
      begin: client.prepare('BEGIN IMMEDIATE'),
      commit: client.prepare('COMMIT'),
      rollback: [client.prepare('ROLLBACK')],
    }
    this.#savepoint = {
      begin: client.prepare('SAVEPOINT holdfast'),
      commit: client.prepare('RELEASE holdfast'),
      rollback: [client.prepare('ROLLBACK TO holdfast'), client.prepare('RELEASE holdfast')],
    }
  }

  /** Once per storage, and at the first call: the tables may be made by a migration after opening. */
  get #statements(): Statements {
    this.#prepared ??= prepareStatements(this.#client, this.#names)
    return this.#prepared
  }

  async setup(): Promise<void> {
    // Looking first spares every later start the write lock.
    if (this.#found()) return
    this.#atomically(() => {
      for (const text of sqliteDefinition(this.#names)) this.#client.prepare(text).run()
      return true
    })
  }

  async encoding(): Promise<string> {
    const rows = this.#client.prepare('PRAGMA encoding').all() as { encoding: string }[]
    return rows[0]?.encoding ?? ''
  }

  async read(id: string, unless: string | null, skip: number): Promise<Cell | undefined> {
    return toCell(this.#statements.read.all(unless, id, skip, id, unless) as CellRow[])
  }

  async create(id: string, next: StoredSession): Promise<boolean> {
    return this.#atomically(() => {
      const { revision, head, entries } = next
      if (!this.#statements.create.run(id, revision, head, entries.length).changes) return false
      this.#insert(this.#place(id).session, 0, entries)
      return true
    })
  }

  async replace(id: string, next: StoredSession, expected: string): Promise<boolean> {
    return this.#atomically(() => {
      const { revision, head, entries } = next
      const { replace, cut } = this.#statements
      if (!replace.run(revision, head, entries.length, id, expected).changes) return false
      const { session, first } = this.#place(id)
      cut.run(session, 0, first)
      this.#insert(session, first, entries)
      return true
    })
  }

  async append(id: string, change: Append, expected: Version): Promise<Version | false> {
    const { revision, head, drop, entries } = change
    const { append, appendAt, cut } = this.#statements
    let place: Place | undefined
    const done = this.#atomically(() => {
      const counts = [revision, head, drop, entries.length] as const
      // The place that the append before answered spares looking it up. It is part of the condition: a
      // session restored by hand may have its revision and another place.
      let before = placeOf(expected.token)
      if (before) {
        const { session, first, next } = before
        if (!appendAt.run(...counts, id, expected.revision, session, first, next).changes) {
          before = undefined
        }
      }
      if (!before) {
        if (!append.run(...counts, id, expected.revision).changes) return false
        const { session, first, next } = this.#place(id)
        before = { session, first: first - drop, next: next - entries.length }
      }
      const { session, first, next } = before
      if (drop > 0) cut.run(session, first, first + drop)
      this.#insert(session, next, entries)
      place = { session, first: first + drop, next: next + entries.length }
      return true
    })
    return done && { revision, token: place }
  }

  async remove(id: string, expected: string): Promise<boolean> {
    return this.#atomically(() => {
      const { placeAt, cut, remove } = this.#statements
      const place = placeAt.get(id, expected)
      if (!place) return false
      const { session, next } = toPlace(place)
      cut.run(session, 0, next)
      remove.run(id)
      return true
    })
  }

  async list(after: string, before: string | undefined, limit: number): Promise<Listed[]> {
    const { list, listBefore } = this.#statements
    const rows =
      before === undefined ? list.all(after, limit) : listBefore.all(after, before, limit)
    return rows as Listed[]
  }

  readonly classify = classifySqlite

  #found(): boolean {
    try {
      this.#client.prepare(sqliteProbe(this.#names)).all()
      return true
    } catch (error) {
      return !tableMissing(error, this.#names)
    }
  }

  #insert(session: number, from: number, entries: readonly string[]): void {
    const { insert } = this.#statements
    let n = from
    for (const body of entries) insert.run(session, n++, body)
  }

  #place(id: string): Place {
    return toPlace(this.#statements.place.get(id))
  }

  /** All of `work` or nothing; it answers whether to keep what it did. */
  #atomically(work: () => boolean): boolean {
    // Inside a transaction that the caller began on this connection, a savepoint is all that can be had.
    const { begin, commit, rollback } = this.#client.inTransaction
      ? this.#savepoint
      : this.#transaction
    begin.run()
    let keep = false
    try {
      keep = work()
      if (keep) commit.run()
      return keep
    } catch (error) {
      keep = false
      throw error
    } finally {
      // Some errors (a full disk) have rolled back by themselves.
      if (!keep && this.#client.inTransaction) for (const statement of rollback) statement.run()
    }
  }
}

/** A client may be set to answer integers as bigint. */
function toPlace(row: unknown): Place {
  const place = row as Place
  if (typeof place.next === 'number') return place
  return { session: Number(place.session), first: Number(place.first), next: Number(place.next) }
}

/** A token, if it is one of ours. */
function placeOf(token: unknown): Place | undefined {
  const { session, first, next } = Object(token) as Partial<Place>
  return [session, first, next].every(Number.isSafeInteger) ? (token as Place) : undefined
}
