import { HoldfastError } from '@holdfast/core'
import { invalid } from '@holdfast/core/adapter'
import { MysqlDialect } from '../dialects/mysql.ts'
import { isMissing } from '../dialects/mysql-errors.ts'
import type { Client } from './client.ts'
import { type MysqlConnection, type MysqlPool, PoolRunner } from './mysql2-pool.ts'
import { type HeldConnection, TransactionRunner } from './mysql2-transaction.ts'

export const mysql2: Client = {
  database: 'MySql2Database',
  transaction: 'MySql2Transaction',
  connect(db, options) {
    const given = promised((db as { $client?: unknown }).$client)
    if (typeof given?.getConnection === 'function') {
      return new MysqlDialect(new PoolRunner(given as MysqlPool, options), options)
    }
    if (typeof given?.execute !== 'function') return undefined
    throw new HoldfastError(
      'UNSUPPORTED',
      'This drizzle database is over a single connection, on which other statements would land inside the writes of the storage: give drizzle a pool (mysql.createPool).',
    )
  },
  async inTransaction(tx, options) {
    const { client } = (tx as { session?: { client?: unknown } }).session ?? {}
    const runner = new TransactionRunner(promised(client) as HeldConnection)
    const dialect = new MysqlDialect(runner, options)
    if (await missing(() => dialect.probe())) {
      const { sessions, entries } = options.names
      throw invalid(
        `The tables ${sessions} and ${entries} are missing, and making them would commit the transaction: call sqlStorage(db) on the database once before, or run a migration.`,
      )
    }
    return dialect
  },
}

/** The client with promises, of which one with callbacks has its own. */
function promised(client: unknown): Partial<MysqlPool & MysqlConnection> | undefined {
  const given = client as (Partial<MysqlPool & MysqlConnection> & { promise?: unknown }) | undefined
  return typeof given?.promise === 'function' ? given.promise() : given
}

async function missing(probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe()
    return false
  } catch (error) {
    if (isMissing(error)) return true
    throw error
  }
}
