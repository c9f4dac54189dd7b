import { parseArgs } from 'node:util'
import { oneLine } from './output/cut.ts'
import { printable } from './output/printable.ts'

export interface Arguments {
  readonly once?: string
  readonly session?: string
  readonly folder?: string
  readonly help: boolean
  readonly version: boolean
}

/** What was typed wrong; the program ends with exit code 2. */
export class UsageError extends Error {}

export const USAGE = `Usage: npm start -- [options]        a chat in the terminal
       echo "a question" | npm start   each line is a question

Options:
  --once TEXT      answer one question and exit; only the answer goes to stdout
  --session ID     go on with a session, or begin one of that name
  --folder DIR     the folder whose files the tools may read (default: the current one)
  --help           show this
  --version        show the version

Environment:
  HOLDFAST_URL     where sessions are stored (default: sqlite:.holdfast/assistant.db)
  HOLDFAST_DEBUG   with any value, errors come with a stack trace
  NO_COLOR         with any value, no colours

Exit codes: 0 all answered, 1 something failed, 2 wrong usage, 130 stopped by Ctrl-C.
`

/** Reads the command line; throws a `UsageError`. */
export function parseArguments(argv: readonly string[]): Arguments {
  const values = parse(argv)
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value.trim() === '') {
      throw new UsageError(`--${name} needs a value that is not blank.`)
    }
  }
  return { ...values, help: values.help ?? false, version: values.version ?? false }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        once: { type: 'string' },
        session: { type: 'string' },
        folder: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
      strict: true,
      allowPositionals: false,
    }).values
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // The first sentence says what is wrong; the rest is advice about other programs.
    throw new UsageError(oneLine(printable(message.split(/\. |\n/)[0] ?? message), 200))
  }
}
