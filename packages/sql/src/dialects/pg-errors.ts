import type { ErrorKind } from '@holdfast/core'
import { errorChain } from './error-chain.ts'

/** From the error's SQLSTATE, whatever the language of the message. */
export function classifyPg(error: unknown): ErrorKind | undefined {
  for (const { code, message } of errorChain(error)) {
    // Connection trouble, serialization, deadlock, too many connections, lock timeout, cancelled, shutting down or starting.
    if (/^(08...|40001|40P01|53300|55P03|57014|57P0[1235])$/.test(code)) return 'transient'
    if (/^54...$/.test(code)) return 'too-large'
    // Full disk, read-only, no rights, no such table or column.
    if (/^(53100|25006|42...)$/.test(code)) return 'refused'
    if (/^XX00[12]$/.test(code)) return 'corrupt'
    if (message === 'PGlite is closed') return 'closed'
  }
  return undefined
}

/** Serialization failure or deadlock: the database rolled the statement back because of another writer. */
export function lostRace(error: unknown): boolean {
  for (const { code } of errorChain(error)) {
    if (code === '40001' || code === '40P01') return true
  }
  return false
}
