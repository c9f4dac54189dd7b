import { parseArgs } from 'node:util'
import { oneLine } from './output/cut.ts'
import { printable } from './output/printable.ts'

export interface Arguments {
  readonly once?: string
  readonly session?: string
  readonly folder?: string
  readonly json: boolean
  readonly approve: boolean
  readonly rerun: boolean
  readonly reject: boolean
  readonly interactive: boolean
  readonly help: boolean
  readonly version: boolean
}

/** What was typed wrong; the program ends with exit code 2. */
export class UsageError extends Error {
  readonly code = 'USAGE'
}

export const USAGE = `Usage: npm start -- [options]        a chat in the terminal
       echo "a question" | npm start   each line is a question

Options:
  --once TEXT      answer one question or command and exit; only the answer goes to stdout
  --json           with --once: one JSON object on stdout, and nothing else
  --session ID     go on with a session, or begin one of that name
  --folder DIR     the folder that the tools work in (default: the current one)
  --approve        write files and run commands without asking
  --rerun          run again what may have run when the process ended (risky: with --approve)
  --reject         run nothing else that waits for somebody's decision
  --interactive    ask as in a terminal, also through pipes: for programs that drive the chat
  --help           show this
  --version        show the version

Environment:
  OPENAI_API_KEY   use a real model (never shown nor stored); without it a rule-based one answers
  OPENAI_BASE_URL  another endpoint than OpenAI's
  HOLDFAST_MODEL   the model's name (default: gpt-5-mini)
  HOLDFAST_API     responses or chat (default: responses at OpenAI, chat elsewhere)
  HOLDFAST_CONTEXT_TOKENS   how long a prompt may be, about (default: 32000)
  HOLDFAST_URL     where sessions are stored (default: sqlite:.holdfast/assistant.db): sqlite:, libsql:, pglite:,
                   postgres:, mysql:, redis:, redis-cluster:, mongodb:, s3:
  HOLDFAST_DEBUG   with any value, errors come with stack traces
  NO_COLOR         with any value, no colours

Exit codes: 0 all answered, 1 something failed, 2 wrong usage, 3 a call waits for somebody's decision,
130 stopped by Ctrl-C, 129 ended by SIGHUP, 143 by SIGTERM.
`

/** Reads the command line; throws a `UsageError`. */
export function parseArguments(argv: readonly string[]): Arguments {
  const values = parse(argv)
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value.trim() === '') {
      throw new UsageError(`--${name} needs a value that is not blank.`)
    }
  }
  if (values.json && values.once === undefined) throw new UsageError('--json goes with --once.')
  if (values.interactive && values.once !== undefined) {
    throw new UsageError('--interactive and --once exclude each other.')
  }
  return {
    ...values,
    json: values.json ?? false,
    approve: values.approve ?? false,
    rerun: values.rerun ?? false,
    reject: values.reject ?? false,
    interactive: values.interactive ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        once: { type: 'string' },
        session: { type: 'string' },
        folder: { type: 'string' },
        json: { type: 'boolean' },
        approve: { type: 'boolean' },
        rerun: { type: 'boolean' },
        reject: { type: 'boolean' },
        interactive: { type: 'boolean' },
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
