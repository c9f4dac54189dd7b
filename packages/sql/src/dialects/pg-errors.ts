import type { ErrorKind } from '@holdfast/core'
import { errorChain, type Failure, isUnreachable } from './error-chain.ts'

/** What a client says of a connection that it had. */
const LOST_CODES = new Set(['CONNECTION_CLOSED'])
const LOST_MESSAGES = new Set([
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
])
const CLOSED_CODES = new Set(['CONNECTION_ENDED', 'CONNECTION_DESTROYED'])
const CLOSED_MESSAGES = new Set([
  'PGlite is closed',
  'Cannot use a pool after calling end on the pool',
  'Client was closed and is not queryable',
])

/** From the error's SQLSTATE, whatever the language of the message, or from what the client says of its connection. */
export function classifyPg(error: unknown): ErrorKind | undefined {
  for (const failure of errorChain(error)) {
    const kind = kindOf(failure)
    if (kind) return kind
  }
  return isUnreachable(error) ? 'transient' : undefined
}

function kindOf({ code, message }: Failure): ErrorKind | undefined {
  // What this library itself says of a transaction of the caller's that can do no more.
  if (code === 'CLOSED' || code === 'CONFLICT') return 'refused'
  // Connection trouble, serialization, deadlock, too many connections, lock timeout, cancelled, shutting down or starting.
  if (/^(08...|40001|40P01|53300|55P03|57014|57P0[1235])$/.test(code)) return 'transient'
  if (/^54...$/.test(code)) return 'too-large'
  // Full disk, a read-only server or transaction, a transaction that has failed or was ended for idling, no
  // rights, a wrong password or none, no such database, table or column.
  if (/^(53100|25006|25P0[23]|28...|3D000|42...)$/.test(code)) return 'refused'
  if (/^XX00[12]$/.test(code)) return 'corrupt'
  if (LOST_CODES.has(code) || LOST_MESSAGES.has(message)) return 'transient'
  if (CLOSED_CODES.has(code) || CLOSED_MESSAGES.has(message)) return 'closed'
  return undefined
}

/** A statement that was prepared is gone, or is there although it should not be, or its table was altered. */
export function lostPlan(error: unknown): boolean {
  for (const { code, message } of errorChain(error)) {
    if (code === '26000' || code === '42P05') return true
    if (code === '0A000' && message.startsWith('cached plan')) return true
  }
  return false
}

/** Serialization failure or deadlock: the database rolled the statement back because of another writer. */
export function lostRace(error: unknown): boolean {
  for (const { code } of errorChain(error)) {
    if (code === '40001' || code === '40P01') return true
  }
  return false
}
