import { createHash } from 'node:crypto'
import { Turns } from '@holdfast/core/adapter'
import { PgDialect, type PgRunner, type Rows } from '../dialects/pg.ts'
import { lostPlan } from '../dialects/pg-errors.ts'
import { bareError } from './bare-error.ts'
import type { Client } from './client.ts'
import { pgTransaction } from './pg-transaction.ts'

interface Query {
  readonly text: string
  readonly name?: string
  readonly values?: unknown[]
}

/** What is used of pg's Pool, Client and PoolClient. */
interface NodePostgresClient {
  query(query: Query): Promise<{ rows: Rows }>
  on?(event: string, listener: (client: Emitter) => void): unknown
  listenerCount?(event: string): number
  /** Of a pool alone. */
  readonly totalCount?: number
}

type Emitter = Pick<NodePostgresClient, 'on' | 'listenerCount'>

export const nodePostgres: Client = {
  database: 'NodePgDatabase',
  transaction: 'NodePgTransaction',
  connect(db, { names, prepare }) {
    const { $client } = db as { $client?: Partial<NodePostgresClient> }
    if (typeof $client?.query !== 'function') return undefined
    const client = $client as NodePostgresClient
    survive(client)
    return new PgDialect(runner(client, prepare), names)
  },
  inTransaction: pgTransaction,
}

/** Prepared statements by name, so that the server reads and plans each text once per connection. */
function runner(client: NodePostgresClient, prepare: boolean): PgRunner {
  const names = new Map<string, string>()
  let prepared = prepare
  // One connection takes one statement at a time; pg complains of those that it is to queue.
  const turns = client.totalCount === undefined ? new Turns() : undefined
  const send = <T>(work: () => Promise<T>) => (turns ? turns.take(work) : work())
  const named = (text: string) => {
    let name = names.get(text)
    if (name === undefined) {
      // Of the text alone: another client's statement of this name, behind a pooler, is the same one.
      name = `holdfast_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
      names.set(text, name)
    }
    return name
  }
  const run = async (text: string, values: unknown[]): Promise<Rows> => {
    // Of several calls at once each must know how it went itself.
    const byName = prepared
    try {
      const query = byName ? { name: named(text), text, values } : { text, values }
      return (await send(() => client.query(query))).rows
    } catch (error) {
      if (!byName || !lostPlan(error)) throw bareError(error)
      // A pooler hands each transaction another server connection, or somebody ran DEALLOCATE: the server
      // refused before it did anything.
      prepared = false
      return run(text, values)
    }
  }
  return { read: run, write: run, script: (text) => send(() => client.query({ text })) }
}

/**
 * A connection that drops while nobody waits for it is an 'error' event, which ends the process where
 * nobody listens: at the pool while the connection is idle, at the connection while a transaction has it.
 */
function survive(client: Emitter): void {
  const listen = (emitter: Emitter) => {
    if (emitter.listenerCount?.('error') === 0) emitter.on?.('error', ignore)
  }
  listen(client)
  if (client.listenerCount?.('acquire') === 0) client.on?.('acquire', listenBehindPool)
}

const ignore = () => {}
const survivors = new WeakSet<object>()

/** The pool takes its own listener away right after this event, which comes once for each use. */
function listenBehindPool(connection: Emitter): void {
  if (survivors.has(connection)) return
  survivors.add(connection)
  connection.on?.('error', ignore)
}
