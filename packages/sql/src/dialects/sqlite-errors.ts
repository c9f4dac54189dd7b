import type { ErrorKind } from '@holdfast/core'
import type { TableNames } from '../table-name.ts'
import { errorChain } from './error-chain.ts'
import { otherLayout } from './layout.ts'

/** SQLite's primary result codes by their numbers, which are all that node:sqlite tells. */
const names = new Map([
  [1, 'SQLITE_ERROR'],
  [5, 'SQLITE_BUSY'],
  [6, 'SQLITE_LOCKED'],
  [8, 'SQLITE_READONLY'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [15, 'SQLITE_PROTOCOL'],
  [18, 'SQLITE_TOOBIG'],
  [26, 'SQLITE_NOTADB'],
])
const BUSY_SNAPSHOT = 517

/** From SQLite's result code, as the client names it. */
export function classifySqlite(error: unknown): ErrorKind | undefined {
  for (const failure of errorChain(error)) {
    const { number, message } = failure
    const code = failure.code === 'ERR_SQLITE_ERROR' ? nameOf(number) : failure.code
    // A transaction of the caller's that reads an older state: it can never write, however long one waits.
    if (code === 'SQLITE_BUSY_SNAPSHOT') return 'refused'
    if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return 'transient'
    // Rolled back before the call returned, and sure to fail again.
    if (/^SQLITE_(FULL|READONLY|CANTOPEN|ERROR$)/.test(code)) return 'refused'
    if (code === 'SQLITE_TOOBIG') return 'too-large'
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt'
    if (/^The database connection is not open$|^database is not open$/.test(message)) {
      return 'closed'
    }
    if (code === 'ERR_INVALID_STATE' && message === 'statement has been finalized') return 'closed'
  }
  return undefined
}

/** Whether a probe failed because a table is missing, which can be helped; any other failure is thrown. */
export function tableMissing(error: unknown, names: TableNames): true {
  for (const { message } of errorChain(error)) {
    // One code stands for both.
    if (message.includes('no such table')) return true
    if (message.includes('no such column')) throw otherLayout(names)
  }
  throw error
}

/** An extended code is a primary one and more in the bytes above. */
function nameOf(number: number): string {
  return number === BUSY_SNAPSHOT ? 'SQLITE_BUSY_SNAPSHOT' : (names.get(number & 0xff) ?? '')
}
