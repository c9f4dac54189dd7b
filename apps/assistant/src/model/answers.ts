import { cut, oneLine } from '../output/cut.ts'
import type { Meaning } from './rules.ts'
import { type Call, isFor } from './transcript.ts'

const MAX_LINES = 60
const MAX_CHARS = 6_000

export const EXAMPLES = [
  'list files in docs',
  'read README.md',
  'search for revision in packages',
  'what is (17 + 3) * 23',
  'add todo buy milk',
  'what is on my list',
  'mark 1 done',
  'what did I ask before?',
  'what is 2+2 and read LICENSE',
  'write "buy milk" to notes/today.md',
  'run `git status`',
  'remember that the launch is on Friday',
  'ask me which colour I like',
]

/** The beginning of a long output; the whole of it stays in memory. */
function beginning(output: string): string {
  const lines = output.split('\n')
  const shown = cut(lines.slice(0, MAX_LINES).join('\n'), MAX_CHARS)
  const left = lines.length - shown.split('\n').length
  if (shown.length === output.length) return output
  return `${shown}\n${left > 0 ? `… ${left} more lines` : '… more'}`
}

const argument = (call: Call, name: string): string => String(call.arguments[name] ?? '')

/** One tool's output in a sentence. */
function sentence(call: Call): string {
  const output = call.output ?? '[no output]'
  switch (call.name) {
    case 'calculate':
      // What is no value explains itself.
      return /^(?:Error|Aborted|Abandoned|Rejected|Not run): /.test(output)
        ? `${argument(call, 'expression')}: ${output}`
        : `${argument(call, 'expression')} = ${output}`
    case 'list_files':
      return `${argument(call, 'path') || '.'}:\n${beginning(output)}`
    case 'read_file':
      return `${argument(call, 'path')}:\n${beginning(output)}`
    case 'run_command':
      return `$ ${argument(call, 'command')}\n${beginning(output)}`
    case 'ask_user':
      return `You say: ${beginning(output)}`
    case 'search_files':
      return `${JSON.stringify(argument(call, 'query'))}:\n${beginning(output)}`
    case 'list_todos':
      return `Your list:\n${beginning(output)}`
    default:
      return beginning(output)
  }
}

/** What came before the question that is answered. */
export interface Before {
  /** The user's messages. */
  readonly earlier: readonly string[]
  /** What stands for the still earlier ones. */
  readonly summary: string | undefined
}

/** The answer to a message, in the order of its sentences, out of what the tools have said. */
export function answer(
  meanings: readonly Meaning[],
  calls: readonly Call[],
  before: Before,
): string {
  return meanings.map((meaning) => answerTo(meaning, calls, before)).join('\n')
}

function answerTo(meaning: Meaning, calls: readonly Call[], before: Before): string {
  switch (meaning.kind) {
    case 'tools':
      return meaning.wishes
        .map((wish) => calls.findLast((call) => isFor(call, wish)))
        .map((call) => (call ? sentence(call) : '[not done]'))
        .join('\n')
    case 'asked':
      return asked(before)
    case 'noted':
      return `I keep in mind: ${meaning.text}`
    case 'hello':
      return `Hello. I can list, read, search and write files, run commands, calculate, and keep a to-do list. Try: ${EXAMPLES[0]}`
    case 'help':
      return `You can say, for example:\n${EXAMPLES.map((example) => `  ${example}`).join('\n')}`
    case 'unknown':
      return `I do not understand ${JSON.stringify(oneLine(meaning.text, 80))}: I go by fixed rules. You can say, for example:\n${EXAMPLES.map((example) => `  ${example}`).join('\n')}`
  }
}

function asked({ earlier, summary }: Before): string {
  const recent = earlier.slice(-10)
  const notes = summary === undefined ? '' : `Of what came first I have notes:\n${summary}\n`
  if (recent.length === 0 && !notes) return 'This is the first thing you ask in this session.'
  const first = earlier.length - recent.length
  const lines = recent.map((text, index) => `  ${first + index + 1}. ${oneLine(text, 100)}`)
  const things = earlier.length === 1 ? 'thing' : 'things'
  const when = notes ? 'after that' : 'before'
  return `${notes}You asked ${earlier.length} ${things} ${when}:\n${first > 0 ? '  …\n' : ''}${lines.join('\n')}`
}
