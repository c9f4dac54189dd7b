import { type AgentItem, HoldfastError } from '@holdfast/core'
import { EXAMPLES } from '../model/answers.ts'
import { textOf } from '../model/transcript.ts'
import { oneLine } from '../output/cut.ts'
import type { Conversation } from './conversation.ts'
import { newSessionId } from './session-id.ts'

const PAGE = 20
const LINE_CHARS = 60

export const COMMANDS = `Commands:
  /sessions [PAGE]   the stored sessions, the last used first
  /resume ID         go on with another session
  /new [ID]          begin a new session
  /memory [--json]   what the model sees next
  /help              show this
  /quit              leave (also Ctrl-D); Ctrl-C stops an answer`

/** What a command wants to be said, and what is to follow. */
export interface CommandResult {
  readonly text: string
  /** `quit`: the program ends. `opened`: another session is open, whose last turn may lack its answer. */
  readonly next?: 'quit' | 'opened'
}

/** Bare words for leaving are commands, too: nobody asks an assistant `exit`. */
export const isCommand = (line: string): boolean => /^\s*(\/|(exit|quit)\s*$)/.test(line)

/** Runs one command line. Errors are the caller's to show. */
export async function runCommand(line: string, chat: Conversation): Promise<CommandResult> {
  const [name = '', ...words] = line.trim().split(/\s+/)
  // An id may hold blanks, so it is the rest of the line as it was typed.
  const rest = line.trim().slice(name.length).trim()
  switch (name) {
    case '/sessions':
      return { text: await sessionList(chat, words[0]) }
    case '/resume':
      if (rest === '') throw wrong('/resume needs the id of a session; /sessions lists them.')
      await chat.resume(rest)
      return { text: `Session ${chat.id}: ${count((await chat.items()).length)}.`, next: 'opened' }
    case '/new':
      chat.begin(rest || newSessionId())
      return { text: `Session ${chat.id}${await existing(chat)}.`, next: 'opened' }
    case '/memory':
      return { text: await memory(chat, rest) }
    case '/help':
      return {
        text: `${COMMANDS}\n\nQuestions, for example:\n${EXAMPLES.map((example) => `  ${example}`).join('\n')}`,
      }
    case '/quit':
    case '/exit':
    case 'quit':
    case 'exit':
      return { text: '', next: 'quit' }
    default:
      throw wrong(`Unknown command ${name}; /help lists them.`)
  }
}

/** `/new` with the id of a session that exists goes on with it, and says so. */
async function existing(chat: Conversation): Promise<string> {
  const { length } = await chat.items()
  return length === 0 ? '' : `, which exists: ${count(length)}`
}

const wrong = (message: string): HoldfastError => new HoldfastError('INVALID_ARGUMENT', message)

const count = (items: number): string => `${items} ${items === 1 ? 'item' : 'items'}`

async function sessionList(chat: Conversation, word: string | undefined): Promise<string> {
  const page = word === undefined ? 1 : Number(word)
  if (!Number.isInteger(page) || page < 1) throw wrong('/sessions takes a page number from 1.')
  const all = await chat.sessions()
  if (all.length === 0) return 'No session is stored yet.'
  const pages = Math.ceil(all.length / PAGE)
  if (page > pages) throw wrong(`The last page is ${pages}.`)
  const rows = all.slice((page - 1) * PAGE, page * PAGE).map(({ id, updatedAt }) => {
    // A session whose head cannot be read is listed all the same: it is there.
    const time =
      updatedAt === undefined
        ? 'unreadable'.padEnd(19)
        : new Date(updatedAt).toISOString().slice(0, 19).replace('T', ' ')
    return `${id === chat.id ? '*' : ' '} ${time}  ${id}`
  })
  const more = page < pages ? `\nPage ${page} of ${pages}; /sessions ${page + 1} shows more.` : ''
  return rows.join('\n') + more
}

async function memory(chat: Conversation, option: string): Promise<string> {
  if (option !== '' && option !== '--json') throw wrong('/memory takes --json or nothing.')
  const items = await chat.items()
  if (option === '--json') return JSON.stringify(items, null, 2)
  const lines = items.map((item, index) => `${String(index + 1).padStart(3)} ${itemLine(item)}`)
  return [...lines, `${count(items.length)}; /memory --json shows them whole.`].join('\n')
}

function itemLine(item: AgentItem): string {
  switch (item.type) {
    case 'function_call':
      return `call ${item['name']} ${quoted(String(item['arguments']))} (${item['call_id']})`
    case 'function_call_output':
      return `output (${item['call_id']}): ${quoted(textOf(item['output']) || JSON.stringify(item['output']))}`
    case 'message':
      return `${item['role']}: ${quoted(textOf(item['content']))}`
    default:
      return `${item.type ?? 'item'} ${quoted(JSON.stringify(item))}`
  }
}

/** One line of a text, saying how long it is where it was cut. */
function quoted(text: string): string {
  const line = oneLine(text, LINE_CHARS)
  return text.length > LINE_CHARS ? `${line} [${text.length} characters]` : line
}
