import { oneLine } from './cut.ts'
import { printable } from './printable.ts'

/** The stable code of an error, of whatever library; `UNEXPECTED` where there is none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNEXPECTED'
}

/** What went wrong, on one line. A model that failed says why in its cause, which quotes neither prompt nor key. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(printable(String(error)), 600)
  const { cause } = error
  const why = cause instanceof Error && cause.name === 'ModelRequestError' ? cause.message : ''
  return oneLine(printable(`${error.message} ${why}`), 600)
}

/** One line with code and message; a stack trace only for those who asked for it with `HOLDFAST_DEBUG`. */
export function errorLine(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  const line = `error ${codeOf(error)}: ${messageOf(error)}`
  if (!env['HOLDFAST_DEBUG'] || !(error instanceof Error)) return line
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? ''}` : ''
  return `${line}\n${printable(`${error.stack ?? ''}${cause}`)}`
}
