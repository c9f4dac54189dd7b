import { Turns } from '@holdfast/core/adapter'
import type { MysqlRunner, RunMysql } from '../dialects/mysql.ts'
import { lostMysqlRace } from '../dialects/mysql-errors.ts'
import { execute, type MysqlConnection } from './mysql2-pool.ts'
import { overtaken, transactionOver } from './transaction-errors.ts'

/** A connection as drizzle holds it for one transaction; one of a pool is let go when that is over. */
export interface HeldConnection extends MysqlConnection {
  release?(): void
}

/** The protocol's flag for "inside a transaction", which comes with every answer. */
const IN_TRANSACTION = 1

/**
 * Statements inside a transaction that the caller began, and ends. When it is over, its connection goes
 * back to a pool, and what is sent over it then would land in nobody's transaction, or in a stranger's.
 */
export class TransactionRunner implements MysqlRunner {
  readonly inTransaction = true
  readonly run: RunMysql
  readonly read: RunMysql
  readonly #connection: MysqlConnection
  // Savepoints of two writes at once would end each other, and a read between two statements would be torn.
  readonly #turns = new Turns()
  #over = false

  constructor(connection: HeldConnection) {
    this.#connection = connection
    const release = connection.release?.bind(connection)
    if (release) {
      // The object is of this transaction alone; the connection behind it serves others afterwards.
      connection.release = () => {
        this.#over = true
        release()
      }
    }
    this.run = (text, values) => this.#turns.take(() => this.#execute(text, values))
    this.read = this.run
  }

  /** A transaction keeps the isolation level that it began with. */
  readConsistently(): void {}

  atomically(work: (run: RunMysql) => Promise<boolean>): Promise<boolean> {
    return this.#turns.take(async () => {
      await this.#begin()
      let done = false
      try {
        done = await work((text, values) => this.#execute(text, values))
        return done
      } catch (error) {
        throw lostMysqlRace(error) ? overtaken() : error
      } finally {
        // A deadlock has ended the whole transaction, and the savepoint with it.
        const last = done ? 'RELEASE SAVEPOINT holdfast' : 'ROLLBACK TO SAVEPOINT holdfast'
        await this.#connection.query(last).catch(() => {})
      }
    })
  }

  async #begin(): Promise<void> {
    if (this.#over) throw transactionOver()
    const answer = (await this.#connection.query('SAVEPOINT holdfast')) as [
      { serverStatus: number },
    ]
    if ((answer[0].serverStatus & IN_TRANSACTION) === 0) throw transactionOver()
  }

  async #execute(text: string, values: Parameters<RunMysql>[1]): Promise<unknown> {
    if (this.#over) throw transactionOver()
    return execute(this.#connection, text, values)
  }
}
