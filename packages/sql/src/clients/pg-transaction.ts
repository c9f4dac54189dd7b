import { Turns } from '@holdfast/core/adapter'
import { type SQL, sql } from 'drizzle-orm'
import { errorChain } from '../dialects/error-chain.ts'
import { PgDialect, type Rows, type Value } from '../dialects/pg.ts'
import { lostRace } from '../dialects/pg-errors.ts'
import type { CheckedOptions } from '../options.ts'
import { quoted } from '../table-name.ts'
import { bareError } from './bare-error.ts'
import { overtaken, tablesMissing, transactionOver } from './transaction-errors.ts'

/** What is used of drizzle's transactions over PostgreSQL, whatever the client. */
interface PgTransaction {
  execute(query: SQL): Promise<unknown>
  transaction<T>(work: (nested: PgTransaction) => Promise<T>): Promise<T>
}

const CURRENT = 'pg_current_xact_id_if_assigned()::text'

/**
 * PostgreSQL inside a transaction of the caller's, through drizzle's public methods. Every statement is
 * bound to that transaction by its number: when it is over, its connection goes back to a pool, and what
 * is sent over it then would land in nobody's transaction, or in a stranger's.
 */
export async function pgTransaction(given: object, { names }: CheckedOptions): Promise<PgDialect> {
  const tx = given as PgTransaction
  const tables = [quoted(names, 'sessions'), quoted(names, 'entries')] as const
  const [found] = await execute(
    tx,
    sql`SELECT pg_current_xact_id()::text AS id, count(to_regclass(name)) AS tables
      FROM (VALUES (${tables[0]}), (${tables[1]})) AS t (name)`,
  )
  if (Number(found?.['tables']) !== tables.length) {
    throw tablesMissing(tables)
  }
  const id = String(found?.['id'])
  // Savepoints of two writes at once would end each other.
  const turns = new Turns()

  /** Nothing found may mean that nothing was looked for. */
  const checked = async (rows: Rows) => {
    if (rows.length > 0) return rows
    const [still] = await execute(tx, sql.raw(`SELECT ${CURRENT} = '${id}' AS same`))
    if (still?.['same'] === true) return rows
    throw transactionOver()
  }
  const condition = `${CURRENT} = '${id}'`
  const attempt = (work: () => Promise<Rows>) =>
    turns.take(async () => {
      try {
        return await checked(await work())
      } catch (error) {
        throw noTransaction(error)
          ? transactionOver()
          : lostRace(error)
            ? overtaken()
            : bareError(error)
      }
    })
  return new PgDialect(
    {
      read: (text, values) => attempt(() => execute(tx, bound(text, values))),
      // A failing statement ends a transaction; behind a savepoint it ends alone.
      write: (text, values) =>
        attempt(() => tx.transaction((nested) => execute(nested, bound(text, values)))),
    },
    names,
    condition,
  )
}

async function execute(tx: PgTransaction, query: SQL): Promise<Rows> {
  try {
    const answer = await tx.execute(query)
    return (Array.isArray(answer) ? answer : (answer as { rows: Rows }).rows) as Rows
  } catch (error) {
    throw bareError(error)
  }
}

/** `$1`… as drizzle counts them. */
function bound(text: string, values: readonly Value[]): SQL {
  const parts = text.split(/\$(\d+)/)
  const chunks = parts.map((part, i) =>
    i % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1] ?? null}`,
  )
  return sql.join(chunks)
}

/** SAVEPOINT outside of a transaction, or on a PGlite transaction that has ended. */
function noTransaction(error: unknown): boolean {
  for (const { code, message } of errorChain(error)) {
    if (code === '25P01' || message === 'Transaction is closed') return true
  }
  return false
}
