import { HoldfastError } from '@holdfast/core'
import type { MysqlRunner, RunMysql } from '../dialects/mysql.ts'
import { lostMysqlRace } from '../dialects/mysql-errors.ts'
import { inTurn } from './in-turn.ts'
import { execute, type MysqlConnection } from './mysql2-pool.ts'

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
  readonly #one = inTurn()
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
    this.run = (text, values) => this.#one(() => this.#execute(text, values))
    this.read = this.run
  }

  /** A transaction keeps the isolation level that it began with. */
  readConsistently(): void {}

  atomically(work: (run: RunMysql) => Promise<boolean>): Promise<boolean> {
    return this.#one(async () => {
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
    if (this.#over) throw over()
    const answer = (await this.#connection.query('SAVEPOINT holdfast')) as [
      { serverStatus: number },
    ]
    if ((answer[0].serverStatus & IN_TRANSACTION) === 0) throw over()
  }

  async #execute(text: string, values: Parameters<RunMysql>[1]): Promise<unknown> {
    if (this.#over) throw over()
    return execute(this.#connection, text, values)
  }
}

const over = () =>
  new HoldfastError(
    'CLOSED',
    'The transaction that this storage was made in is over: make one of the database, or in the next transaction.',
  )

/** No cause: it would read as a race that may be run again, which the transaction's old view of the data forbids. */
const overtaken = () =>
  new HoldfastError(
    'CONFLICT',
    'Another transaction changed this session after this one began, or the two waited for each other: roll back and run the transaction again.',
  )
