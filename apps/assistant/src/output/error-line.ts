import { oneLine } from './cut.ts'
import { printable } from './printable.ts'

/** The stable code of an error, of whatever library; `UNEXPECTED` where there is none. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNEXPECTED'
}

/** One line with code and message; a stack trace only for those who asked for it with `HOLDFAST_DEBUG`. */
export function errorLine(error: unknown, env: NodeJS.ProcessEnv = process.env): string {
  const message = error instanceof Error ? error.message : String(error)
  const line = `error ${codeOf(error)}: ${oneLine(printable(message), 600)}`
  if (!env['HOLDFAST_DEBUG'] || !(error instanceof Error)) return line
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack ?? ''}` : ''
  return `${line}\n${printable(`${error.stack ?? ''}${cause}`)}`
}
