import { causesOf } from './causes.ts'
import { oneLine } from './cut.ts'
import { failedConnection } from './failed-connection.ts'
import { printable } from './printable.ts'

/** The stable code of an error, of whatever library; `UNEXPECTED` where there is none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNEXPECTED'
}

/** What went wrong, on one line. A model that failed says why in its cause, which quotes neither prompt nor key. */
export function messageOf(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  if (!(error instanceof Error)) return oneLine(printable(String(error)), 600)
  const connection = failedConnection(error, env)
  if (connection) return oneLine(printable(connection), 600)
  const { cause } = error
  const why = cause instanceof Error && cause.name === 'ModelRequestError' ? cause.message : ''
  return oneLine(printable(`${error.message} ${why}`), 600)
}

/** One line with code and message; stack traces, of all causes, only for those who asked with `HOLDFAST_DEBUG`. */
export function errorLine(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  const line = `error ${codeOf(error)}: ${messageOf(error, env)}`
  if (!env['HOLDFAST_DEBUG'] || !(error instanceof Error)) return line
  const causes = causesOf(error).map((cause) => `caused by ${whole(cause)}`)
  return printable([line, error.stack ?? '', ...causes].join('\n'))
}

/** An error with its stack and its code; anything else as JSON where it can be. */
function whole(cause: unknown): string {
  if (cause instanceof Error) {
    const code = codeOf(cause)
    return `${code === 'UNEXPECTED' ? '' : `(${code}) `}${cause.stack ?? cause.message}`
  }
  try {
    return JSON.stringify(cause) ?? String(cause)
  } catch {
    return String(cause)
  }
}
