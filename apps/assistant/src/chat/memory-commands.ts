import {
  type AgentEvent,
  type AgentItem,
  type ContextReport,
  type JsonObject,
  SessionEventProjector,
} from '@holdfast/core'
import { textOf, userTexts } from '../model/transcript.ts'
import { oneLine } from '../output/cut.ts'
import { type Command, count, firstWord, numberOf, wrong } from './command.ts'
import { compactNow } from './compaction.ts'
import { reportLine } from './report-line.ts'

const LINE_CHARS = 60
const EVENTS = 20

const memory: Command = {
  usage: '/memory [--json]',
  help: 'what the model sees next, and what was compacted away',
  async run(option, { session }) {
    if (option !== '' && option !== '--json') throw wrong('/memory takes --json or nothing.')
    const items = await session.memory.getItems()
    if (option === '--json') return { text: JSON.stringify(items, null, 2) }
    const lines = items.map((item, index) => `${String(index + 1).padStart(3)} ${itemLine(item)}`)
    lines.push(`${count(items.length, 'item')}; /memory --json shows them whole.`)
    const { events } = session.eventLog
    const reports = events.filter(({ type }) => type === 'MEMORY_COMPRESS')
    const compactions = reports.filter(({ payload }) => payload['memory'] !== undefined)
    const prompt = reports.findLast(({ payload }) => payload['memory'] === undefined)
    const compact = SessionEventProjector.deriveCompact(events)
    if (compact) {
      const times = count(compactions.length, 'time')
      lines.push(`Compacted ${times}; the last time: ${reportLine(compact.report)}`)
    }
    if (prompt) lines.push(`The last prompt that had to be fitted: ${reportLine(reportOf(prompt))}`)
    const summary = await session.memory.getSummary()
    if (summary) lines.push('The summary, which the model sees first:', indent(summary))
    return { text: lines.join('\n') }
  },
}

const reportOf = ({ payload }: AgentEvent): ContextReport =>
  payload['report'] as unknown as ContextReport

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ')

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

const compact: Command = {
  usage: '/compact',
  help: 'put notes in the place of all but the newest items',
  async run(_, { session }) {
    const result = await session.compact(compactNow)
    if (!result || result.report.dropped === 0) return { text: 'There is nothing to compact yet.' }
    return { text: `Compacted: ${reportLine(result.report)}\n/memory shows the summary.` }
  },
}

const events: Command = {
  usage: '/events [N]',
  help: `the last N events of this session (default ${EVENTS})`,
  async run(rest, { session }) {
    const lines = session.eventLog.events.slice(-numberOf(rest, EVENTS, '/events')).map(eventLine)
    return { text: lines.join('\n') || 'Nothing has happened in this session yet.' }
  },
}

function eventLine({ sequence, type, at, step, payload }: AgentEvent): string {
  const time = new Date(at).toISOString().slice(11, 19)
  const where = step === undefined ? '' : ` step ${step}`
  return `${String(sequence).padStart(4)} ${time} ${type}${where} ${oneLine(gist(payload), 100)}`
}

/** Of items their number alone: /memory shows them. */
const gist = (payload: JsonObject): string =>
  JSON.stringify(payload, (key, value) =>
    key === 'items' && Array.isArray(value) ? `[${value.length}]` : value,
  )

const undo: Command = {
  usage: '/undo',
  help: 'take the last question out of memory, with all that followed; what tools did stays done',
  async run(_, { session }) {
    const question = userTexts(await session.memory.getItems()).at(-1)
    if (!(await session.undo())) return { text: 'There is no question to take back.' }
    return { text: `Taken back: ${oneLine(question ?? '', 100)}` }
  },
}

const clear: Command = {
  usage: '/clear',
  help: 'forget everything that was said in this session; its events and its to-do list stay',
  async run(_, { session }) {
    await session.clear()
    return { text: 'The memory is empty.' }
  },
}

const replace: Command = {
  usage: '/replace CALL_ID TEXT',
  help: 'put a text in the place of what a tool answered',
  async run(rest, { session }) {
    const [callId, text] = firstWord(rest)
    if (text === '') throw wrong('/replace takes the id of a call (see /memory) and a text.')
    await session.replaceToolOutput(callId, text)
    return { text: `The output of ${callId} is replaced.` }
  },
}

export const memoryCommands = { memory, compact, events, undo, clear, replace }
