import type { ErrorKind } from '@holdfast/core'
import { errorChain } from './error-chain.ts'

/** From SQLite's result code, as the client names it. */
export function classifySqlite(error: unknown): ErrorKind | undefined {
  for (const { code, message } of errorChain(error)) {
    if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return 'transient'
    if (code === 'SQLITE_TOOBIG') return 'too-large'
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt'
    if (message === 'The database connection is not open') return 'closed'
  }
  return undefined
}
