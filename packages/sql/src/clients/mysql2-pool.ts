import type { MysqlRunner, RunMysql } from '../dialects/mysql.ts'
import type { CheckedOptions } from '../options.ts'

/** What is used of a connection of mysql2. */
export interface MysqlConnection {
  execute(options: object): Promise<readonly [unknown, unknown]>
  query(text: string): Promise<unknown>
}

/** What is used of a connection that a pool lends. */
export interface PooledConnection extends MysqlConnection {
  release(): void
  destroy(): void
}

/** What is used of mysql2's promise pool. */
export interface MysqlPool {
  getConnection(): Promise<PooledConnection>
}

/** Statements over a pool: a connection for each step of the contract. */
export class PoolRunner implements MysqlRunner {
  readonly inTransaction = false
  readonly #pool: MysqlPool
  readonly #timeoutMs: number
  #consistent = false

  constructor(pool: MysqlPool, { storage }: CheckedOptions) {
    this.#pool = pool
    this.#timeoutMs = storage.timeoutMs
  }

  readonly run: RunMysql = (text, values) =>
    this.#connected((connection) => execute(connection, text, values))

  readonly read: RunMysql = (text, values) =>
    this.#connected(async (connection) => {
      // It holds for the next transaction alone: the statement that follows.
      if (this.#consistent) {
        await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      }
      return execute(connection, text, values)
    })

  readConsistently(): void {
    this.#consistent = true
  }

  atomically(work: (run: RunMysql) => Promise<boolean>): Promise<boolean> {
    return this.#connected(async (connection) => {
      await connection.query('START TRANSACTION')
      let done = false
      try {
        done = await work((text, values) => execute(connection, text, values))
        // Whatever the connection's completion_type: no transaction may go back into the pool.
        if (done) await connection.query('COMMIT AND NO CHAIN NO RELEASE')
      } catch (error) {
        await rollBack(connection)
        throw error
      }
      if (!done) await rollBack(connection)
      return done
    })
  }

  /**
   * A connection that does not answer is ended after the time that core waits for a call: one that went
   * back into the pool would be waited for by the next call, and the one after.
   */
  async #connected<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const end = performance.now() + this.#timeoutMs
    const connection = await this.#pool.getConnection()
    const left = end - performance.now()
    if (left <= 0) {
      connection.release()
      throw new Unanswered('No connection of the pool became free', this.#timeoutMs)
    }
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        connection.destroy()
        reject(new Unanswered('The server did not answer', this.#timeoutMs))
      }, left)
    })
    try {
      return await Promise.race([work(connection), silence])
    } finally {
      clearTimeout(timer)
      connection.release()
    }
  }
}

class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly code = 'ETIMEDOUT'

  constructor(what: string, timeoutMs: number) {
    super(`${what} within ${timeoutMs} ms.`)
  }
}

/**
 * Prepared on the server, with parameters beside the text: no `sql_mode` changes what they mean. The
 * shape of the answer does not depend on the pool's options.
 */
export async function execute(
  connection: MysqlConnection,
  sql: string,
  values: readonly (string | number | null)[],
): Promise<unknown> {
  const shape = { rowsAsArray: false, nestTables: false, typeCast: asItIs }
  const [answer] = await connection.execute({ sql, values, ...shape })
  return answer
}

/** Only a function goes before one that the pool was given. */
const asItIs = (_field: unknown, next: () => unknown) => next()

/** A connection whose transaction cannot be ended must not go back into the pool. */
async function rollBack(connection: PooledConnection): Promise<void> {
  try {
    await connection.query('ROLLBACK AND NO CHAIN NO RELEASE')
  } catch {
    connection.destroy()
  }
}
