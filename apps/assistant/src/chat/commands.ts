import { EXAMPLES } from '../model/answers.ts'
import { callCommands } from './call-commands.ts'
import { type Command, type CommandResult, wrong } from './command.ts'
import type { Conversation } from './conversation.ts'
import { memoryCommands } from './memory-commands.ts'
import { nearestName } from './nearest-name.ts'
import { sessionCommands } from './session-commands.ts'

const help: Command = {
  usage: '/help',
  help: 'show this',
  run: async () => ({
    text: `${commandList()}\n\nQuestions, for example:\n${EXAMPLES.map((example) => `  ${example}`).join('\n')}`,
  }),
}

const { quit, ...ofSessions } = sessionCommands
const COMMANDS: Readonly<Record<string, Command>> = {
  ...ofSessions,
  ...memoryCommands,
  ...callCommands,
  help,
  quit,
}

/** Other words for the same. */
const ALIASES: Readonly<Record<string, string>> = { exit: 'quit' }

export function commandList(): string {
  const rows = Object.values(COMMANDS).map(
    ({ usage, help: text }) => `  ${usage.padEnd(27)} ${text}`,
  )
  return `Commands:\n${rows.join('\n')}`
}

/** Bare words for leaving are commands, too: nobody asks an assistant `exit`. */
export const isCommand = (line: string): boolean => /^\s*(\/|(exit|quit)\s*$)/.test(line)

/** Runs one command line. Errors are the caller's to show. */
export async function runCommand(line: string, chat: Conversation): Promise<CommandResult> {
  const [, word = '', rest = ''] = /^\s*\/?(\S*)\s*(.*?)\s*$/s.exec(line) ?? []
  const name = ALIASES[word] ?? word
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  // An id may hold blanks, so what stands behind the name is handed on as it was typed.
  if (command) return command.run(rest, chat)
  const near = nearestName(word, [...Object.keys(COMMANDS), ...Object.keys(ALIASES)])
  const hint = near ? `did you mean /${near}? ` : ''
  throw wrong(`Unknown command /${word}; ${hint}/help lists them.`)
}
