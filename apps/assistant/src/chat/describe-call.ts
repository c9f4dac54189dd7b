import type { PendingCall } from '@holdfast/core'
import { cut, oneLine } from '../output/cut.ts'

const MAX_LINES = 12
const MAX_CHARS = 1_500

/** What a call would do, for the person who is to decide about it. */
export function describeCall({ name, arguments: text, request }: PendingCall): string {
  const args = argumentsOf(text)
  const asked = typeof request === 'object' && request !== null ? Object(request).question : request
  if (asked !== undefined) return `  ${String(asked)}`
  if (name === 'run_command' && typeof args['command'] === 'string') {
    // Whole: what is not shown cannot be approved.
    return `  $ ${args['command'].replaceAll('\n', '\n    ')}`
  }
  if (name === 'write_file' && typeof args['content'] === 'string') {
    const { path, content } = args as { path: unknown; content: string }
    const lines = content.split('\n').length
    return `  ${String(path)}, ${content.length} characters in ${lines} ${lines === 1 ? 'line' : 'lines'}:\n${beginning(content)}`
  }
  return `  ${name} ${oneLine(text, 400)}`
}

/**
 * What is known of a call whose process ended before its output was stored. A command has a process of its own,
 * which `kill -9` of ours leaves alone.
 */
export const unknownText = (name: string): string =>
  name === 'run_command'
    ? 'may have run when the process ended, and may still be running; what it did is unknown'
    : 'may have run when the process ended; what it did is unknown'

/** The beginning of a long text, saying how much is not shown. */
function beginning(text: string): string {
  const shown = cut(text, MAX_CHARS).split('\n').slice(0, MAX_LINES)
  const left = text.length - shown.join('\n').length
  const more = left > 0 ? [`[… ${left} more characters]`] : []
  return [...shown, ...more].map((line) => `  | ${line}`).join('\n')
}

function argumentsOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
