import type { ErrorKind } from '@holdfast/core'
import { errorChain } from './error-chain.ts'

/** From SQLite's result code, as the client names it. */
export function classifySqlite(error: unknown): ErrorKind | undefined {
  for (const { code, message } of errorChain(error)) {
    // A transaction of the caller's that reads an older state: it can never write, however long one waits.
    if (code === 'SQLITE_BUSY_SNAPSHOT') return 'refused'
    if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return 'transient'
    // Rolled back before the call returned, and sure to fail again.
    if (/^SQLITE_(FULL|READONLY|CANTOPEN|ERROR$)/.test(code)) return 'refused'
    if (code === 'SQLITE_TOOBIG') return 'too-large'
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt'
    if (message === 'The database connection is not open') return 'closed'
  }
  return undefined
}
