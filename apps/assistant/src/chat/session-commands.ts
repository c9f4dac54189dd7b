import { type Command, count, numberOf, wrong } from './command.ts'
import type { Conversation } from './conversation.ts'
import { newSessionId } from './session-id.ts'
import type { ListedSession } from './session-list.ts'

const PAGE = 20

const countItems = async (chat: Conversation): Promise<number> =>
  (await chat.session.memory.getItems()).length

const sessions: Command = {
  usage: '/sessions [PAGE]',
  help: 'the stored sessions, the last used first',
  async run(rest, chat) {
    const page = numberOf(rest, 1, '/sessions')
    const all = await chat.sessions()
    if (all.length === 0) return { text: 'No session is stored yet.' }
    const pages = Math.ceil(all.length / PAGE)
    if (page > pages) throw wrong(`The last page is ${pages}.`)
    const rows = all.slice((page - 1) * PAGE, page * PAGE)
    const more = page < pages ? `\nPage ${page} of ${pages}; /sessions ${page + 1} shows more.` : ''
    return { text: rows.map((row) => line(row, row.id === chat.id)).join('\n') + more }
  },
}

function line({ id, updatedAt, title, questions }: ListedSession, isCurrent: boolean): string {
  // A session whose head cannot be read is listed all the same: it is there.
  const time =
    updatedAt === undefined
      ? 'unreadable'.padEnd(19)
      : new Date(updatedAt).toISOString().slice(0, 19).replace('T', ' ')
  const asked = questions === undefined ? '' : `  (${count(questions, 'question')}: ${title})`
  return `${isCurrent ? '*' : ' '} ${time}  ${id}${asked}`
}

const resume: Command = {
  usage: '/resume ID',
  help: 'go on with another session',
  async run(id, chat) {
    if (id === '') throw wrong('/resume needs the id of a session; /sessions lists them.')
    await chat.resume(id)
    const items = count(await countItems(chat), 'item')
    return { text: `Session ${chat.id}: ${items}.`, next: 'opened' }
  },
}

const begin: Command = {
  usage: '/new [ID]',
  help: 'begin a new session',
  async run(id, chat) {
    await chat.begin(id || newSessionId())
    // The id of a session that exists goes on with it, and says so.
    const state = chat.isNew ? '' : `, which exists: ${count(await countItems(chat), 'item')}`
    return { text: `Session ${chat.id}${state}.`, next: 'opened' }
  },
}

const fork: Command = {
  usage: '/fork [ID]',
  help: 'go on with a copy of this session; the session itself stays as it is',
  async run(id, chat) {
    const source = chat.id
    await chat.fork(id || newSessionId())
    const items = count(await countItems(chat), 'item')
    return { text: `Session ${chat.id}, a copy of ${source}: ${items}.` }
  },
}

const save: Command = {
  usage: '/save',
  help: 'store the session now (each step is stored by itself)',
  async run(_, chat) {
    await chat.session.save()
    return { text: `Saved up to event ${chat.session.eventLog.lastSequence}.` }
  },
}

const quit: Command = {
  usage: '/quit',
  help: 'leave (also Ctrl-D); Ctrl-C stops an answer, twice it leaves',
  run: async () => ({ text: '', next: 'quit' }),
}

export const sessionCommands = { sessions, resume, new: begin, fork, save, quit }
