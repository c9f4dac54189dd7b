import type { AgentItem } from '../contracts/item.ts'
import { isRecord } from '../json.ts'
import type { CompactNotes } from './compact-notes.ts'
import { cutText, MAX_TEXT, oneLine, textOf } from './cut-text.ts'
import { filePaths } from './file-paths.ts'
import { Notebook, OPEN } from './notebook.ts'
import { isInput, roleOf, sideOf } from './paired-items.ts'

/** How much is shown of an answer, and of a call's arguments and output. */
const MAX_ANSWER = 240
const MAX_PART = 100

const TODO =
  /\b(todo|to-do|still (needs?|have|has|must|to)|remains|remaining|left to do|next steps?|not yet)\b|\[ \]/i
/** What an assistant says of a decision that was made. */
const AGREED = /\b(decided|decision|agreed|we('ll| will) use|going with)\b/i
/** A question, also where its mark was left out. */
const QUESTION =
  /\?$|^open question|^(what|which|who|where|when|why|how) (is|are|was|were|do|does|did|can|could|should|would|will|many|much|long)\b/i
/** Questions that ask nothing. */
const POLITE = /\b(anything else|help you|help with)\b/i
/** What a user wants kept in mind. */
const WISH =
  /\b(decid|decision|agreed|remember|keep in mind|note that|must|always|never|prefer|instead of|we('ll| will)? use|from now on|don't|do not)/i
/** A statement rather than a request: it says what is, or has a name, a number, a label or an address. */
const FACT =
  /\b(is|are|was|were|has|have|uses|named|called|lives|runs|works|owns|needs|costs|starts|ends|means)\b|\w [A-Z]\w|\d{3}|[:=@]/

const sentences = (text: string): string[] =>
  cutText(text, MAX_TEXT)
    .split(/\n|(?<=[.!?])\s/)
    .map((line) => oneLine(line.replace(/^\s*([-*•>#]+|\d+[.)])\s+/, ''), MAX_TEXT))
    .filter((line) => line && !/^\[\w+\]$/.test(line))

const argumentsOf = ({ arguments: args, input, action }: AgentItem): string => {
  const given = args ?? input ?? action ?? ''
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function filesIn(args: string): string[] {
  let given: unknown
  try {
    given = JSON.parse(args)
  } catch {
    // Text of a tool that takes no JSON, or what a model garbled.
  }
  if (!isRecord(given)) return filePaths(cutText(args, MAX_TEXT))
  return Object.entries(given).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const path = /path|file/i.test(name) && value === text && /^[^\n]{1,300}$/.test(text)
    return path ? [text] : filePaths(cutText(text, MAX_TEXT))
  })
}

/**
 * The notes with what the first `cut` items add to them. The items behind are looked at only for how the last
 * turn ended and whether its question was answered; their own facts are noted once they are cut off.
 *
 * What tools say becomes quotes in `completed`, never a decision: a web page must not speak for the user.
 * The patterns are English; a user's words in another language become entries of `completed` and `pending`.
 */
export function extractNotes(
  items: readonly AgentItem[],
  cut: number,
  notes: CompactNotes,
): CompactNotes {
  const book = new Notebook(notes)
  const calls = new Map<string, string>()
  let asked: string[] = []
  let questions: string[] = []
  let answer = ''

  /** A turn that ended with an answer did what was asked. */
  const conclude = () => {
    const { pending, openQuestions, decisions } = book.lists
    // What a sentence settled before is noted already.
    const due = asked.filter(
      (entry) => pending.has(entry) || (openQuestions.has(entry) && !OPEN.test(answer)),
    )
    if (answer) {
      for (const entry of due) {
        pending.delete(entry)
        openQuestions.delete(entry)
        if (entry !== due.at(-1)) book.add('completed', entry)
      }
      if (due.length) book.add('completed', `${due.at(-1)} — ${answer}`)
      else if (answer.length >= 20 && !decisions.has(answer)) book.add('completed', answer)
    }
    asked = []
    answer = ''
  }

  const hear = (text: string) => {
    if (!/\?\s*$/.test(text)) for (const question of questions) book.answer(question, text)
    questions = []
  }

  const note = (text: string, user: boolean) => {
    for (const sentence of sentences(text)) {
      for (const path of filePaths(sentence)) book.add('files', path)
      if (TODO.test(sentence)) book.add('pending', sentence)
      else if (QUESTION.test(sentence)) {
        if (!user && POLITE.test(sentence)) continue
        const question = book.add('openQuestions', sentence)
        if (!user) questions.push(question)
        else if (!OPEN.test(sentence)) asked.push(question)
      } else {
        book.settle(sentence)
        if ((user ? [WISH, FACT] : [AGREED]).some((says) => says.test(sentence)))
          book.add('decisions', sentence)
        else if (user) asked.push(book.add('pending', sentence))
      }
    }
  }

  for (const [index, item] of items.entries()) {
    const side = sideOf(item)
    const role = roleOf(item)
    const text = role ? textOf(item['content']) : ''
    const late = index >= cut
    if (isInput(item)) {
      conclude()
      if (role === 'user') hear(text)
      if (late) break
      if (role === 'user') note(text, true)
      else for (const sentence of sentences(text)) book.add('decisions', sentence)
    } else if (role) {
      questions = []
      answer = oneLine(text, MAX_ANSWER)
      if (!late) note(text, false)
    } else if (side?.key) {
      answer = ''
      if (late) continue
      if (side.call) {
        const args = argumentsOf(item)
        for (const path of filesIn(args)) book.add('files', path)
        calls.set(side.key, `${item['name'] ?? item.type}(${oneLine(args, MAX_PART)})`)
      } else {
        const said = oneLine(textOf(item['output']), MAX_PART)
        book.add('completed', `${calls.get(side.key) ?? item.type} → ${JSON.stringify(said)}`)
      }
    }
  }
  conclude()
  return book.notes(notes.foreign)
}
