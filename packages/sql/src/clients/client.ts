import type { Dialect } from '../dialects/dialect.ts'
import type { CheckedOptions } from '../options.ts'

/**
 * One client library behind drizzle: by which names its databases are known, and what speaks to them.
 * Every client has a file of its own beside this one and its line in `index.ts`.
 */
export interface Client {
  /** The name that drizzle marks its databases over this client with. */
  readonly database: string
  /** The same for its transactions. */
  readonly transaction: string
  /** What speaks to a database; `undefined` where it lacks what is used of the client. */
  connect(db: object, options: CheckedOptions): Dialect | undefined
  /**
   * What speaks inside a transaction that the caller began, or the sentence that says why nothing can.
   * It finds the tables made, keeps the transaction usable where a write of its own fails, and refuses
   * to do anything once the transaction is over: by then its connection may serve somebody else.
   */
  readonly inTransaction:
    | ((tx: object, options: CheckedOptions) => Dialect | Promise<Dialect>)
    | string
}
