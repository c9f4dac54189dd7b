import { Turns } from '@holdfast/core/adapter'
import {
  LibsqlDialect,
  type LibsqlResult,
  type LibsqlRunner,
  type LibsqlStatement,
} from '../dialects/libsql.ts'
import type { Client } from './client.ts'
import { tablesMissing } from './transaction-errors.ts'

/** What is used of a client of @libsql/client. */
interface LibsqlClient {
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  batch(statements: LibsqlStatement[], mode: 'write'): Promise<LibsqlResult[]>
}

export const libsql: Client = {
  database: 'LibSQLDatabase',
  transaction: 'LibSQLTransaction',
  connect(db, { names }) {
    const client = (db as { $client?: Partial<LibsqlClient> }).$client
    if (typeof client?.batch !== 'function') return undefined
    const { execute, batch } = client as LibsqlClient
    const runner: LibsqlRunner = {
      execute: (statement) => execute.call(client, statement),
      batch: (statements) => batch.call(client, statements, 'write'),
    }
    return new LibsqlDialect(runner, names)
  },
  async inTransaction(given, { names }) {
    const { tx } = (given as { session?: { tx?: Pick<LibsqlClient, 'execute'> } }).session ?? {}
    if (typeof tx?.execute !== 'function') throw new TypeError('not a transaction of libSQL')
    const dialect = new LibsqlDialect(savepoints(tx), names)
    if (!(await dialect.found())) throw tablesMissing([names.sessions, names.entries])
    return dialect
  },
}

/** A transaction of the caller's: the client refuses to do anything in it once it is over. */
function savepoints(tx: Pick<LibsqlClient, 'execute'>): LibsqlRunner {
  // Savepoints of two writes at once would end each other, and a read between two statements would be torn.
  const turns = new Turns()
  const run = (sql: string) => tx.execute({ sql, args: [] })
  return {
    execute: (statement) => turns.take(() => tx.execute(statement)),
    batch: (statements) =>
      turns.take(async () => {
        await run('SAVEPOINT holdfast')
        try {
          const results: LibsqlResult[] = []
          for (const statement of statements) results.push(await tx.execute(statement))
          await run('RELEASE holdfast')
          return results
        } catch (error) {
          await run('ROLLBACK TO holdfast').catch(() => {})
          await run('RELEASE holdfast').catch(() => {})
          throw error
        }
      }),
  }
}
