import type { ErrorKind } from '@holdfast/core'
import { errorChain, isUnreachable } from './error-chain.ts'
import { classifySqlite } from './sqlite-errors.ts'

/** As SQLite's, and what a remote server or the way to it adds. */
export function classifyLibsql(error: unknown): ErrorKind | undefined {
  for (const failure of errorChain(error)) {
    const { code, message } = failure
    if (code === 'CLIENT_CLOSED') return 'closed'
    if (isUnreachable(error) || /^STREAM_EXPIRED$|^TRANSACTION_TIMEOUT$/.test(code))
      return 'transient'
    if (code === 'SERVER_ERROR') {
      // The client keeps the HTTP status in the message alone.
      const status = /status (?:code )?(\d{3})/i.exec(message)?.[1]
      if (status === '413') return 'too-large'
      if (status && /^(408|429|5..)$/.test(status)) return 'transient'
      if (status && /^(401|403|404)$/.test(status)) return 'refused'
    }
  }
  return classifySqlite(error)
}
