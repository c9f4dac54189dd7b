import { entityKind } from 'drizzle-orm'
import { SqliteDialect } from '../dialects/sqlite.ts'
import type { SqliteClient, Statement } from '../dialects/sqlite-statements.ts'
import type { Client } from './client.ts'

/** What is used of node:sqlite's `DatabaseSync`. */
export interface DatabaseSync {
  /** Since Node 22.16. */
  readonly isTransaction?: boolean
  prepare(text: string): Statement
  close(): void
}

/** A database of node:sqlite in the form that drizzle's have: drizzle has none for it. */
export class NodeSqliteDatabase {
  static readonly [entityKind] = 'HoldfastNodeSqliteDatabase'
  readonly $client: SqliteClient

  constructor(client: DatabaseSync) {
    this.$client = client.isTransaction === undefined ? new Counted(client) : asClient(client)
  }
}

export const nodeSqlite: Client = {
  database: NodeSqliteDatabase[entityKind],
  transaction: 'HoldfastNodeSqliteTransaction',
  connect: (db, { names }) => new SqliteDialect((db as NodeSqliteDatabase).$client, names),
  inTransaction: 'its transactions end before anything can be awaited in them.',
}

function asClient(client: DatabaseSync): SqliteClient {
  return {
    get inTransaction() {
      return client.isTransaction === true
    },
    prepare: (text) => client.prepare(text),
  }
}

/** A client that does not tell whether it is in a transaction, on which only this library begins any. */
class Counted implements SqliteClient {
  readonly #client: DatabaseSync
  #begun = false

  constructor(client: DatabaseSync) {
    this.#client = client
  }

  get inTransaction(): boolean {
    return this.#begun
  }

  prepare(text: string): Statement {
    const statement = this.#client.prepare(text)
    if (!/^(BEGIN|COMMIT|ROLLBACK$)/.test(text)) return statement
    const run: Statement['run'] = () => {
      try {
        statement.run()
      } catch (error) {
        // After an error that has rolled back by itself there is nothing left to roll back.
        if (text !== 'ROLLBACK') throw error
      }
      this.#begun = text.startsWith('BEGIN')
      return { changes: 0 }
    }
    return {
      run,
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
    }
  }
}
