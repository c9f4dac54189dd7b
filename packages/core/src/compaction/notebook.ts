import { type CompactNotes, type ListName, listsBy, MAX_ENTRY } from './compact-notes.ts'
import { oneLine } from './cut-text.ts'

/** Most entries of a list while notes are taken, so that comparing each sentence with them stays linear. */
const MAX_ENTRIES = 300

/** What calls work done. */
const DONE =
  /\b(done|finished|completed?|fixed|implemented|resolved|closed|merged|shipped|works now)\b|\[x\]|✓|✅/i
/** What leaves a question open. */
export const OPEN = /\bopen question|\b(don't|do not) know|not sure|unclear|to be decided|\btbd\b/i

const STOP =
  /^(the|and|for|who|what|which|when|where|how|why|does|did|should|would|could|will|can|are|was|were|has|have|had|that|this|with|from|you|our|not|yet|open|question|todo|still|need|needs|please)$/

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !STOP.test(word))

/** True where `said` speaks of an entry: it has two thirds of its words. */
const covers = (said: ReadonlySet<string>, words: readonly string[]): boolean =>
  words.length > 0 && words.filter((word) => said.has(word)).length * 3 >= words.length * 2

/** Notes while they are taken: the lists as sets, in the order in which entries came. */
export class Notebook {
  readonly lists: Record<ListName, Set<string>>
  /** The words of entries: each is compared with many sentences. */
  readonly #known = new Map<string, string[]>()

  constructor(notes: CompactNotes) {
    this.lists = listsBy((name) => new Set(notes[name]))
  }

  /** Puts an entry behind all others of its list; answers it as it is kept. */
  add(name: ListName, text: string): string {
    const entry = oneLine(text, MAX_ENTRY)
    const list = this.lists[name]
    list.delete(entry)
    list.add(entry)
    const [oldest] = list
    if (list.size > MAX_ENTRIES && oldest !== undefined) list.delete(oldest)
    return entry
  }

  #words(entry: string): string[] {
    const words = this.#known.get(entry) ?? wordsOf(entry)
    this.#known.set(entry, words)
    return words
  }

  /** Moves what `sentence` settles: open questions that it answers, pending work that it calls done. */
  settle(sentence: string): void {
    const said = new Set(wordsOf(sentence))
    if (!OPEN.test(sentence)) {
      for (const question of this.lists.openQuestions) {
        if (covers(said, this.#words(question))) this.answer(question, sentence)
      }
    }
    if (!DONE.test(sentence)) return
    for (const work of this.lists.pending) {
      if (!covers(said, this.#words(work))) continue
      this.lists.pending.delete(work)
      this.add('completed', work)
    }
  }

  /** Notes the answer to a question, which is open no longer. */
  answer(question: string, answer: string): void {
    this.lists.openQuestions.delete(question)
    this.add('decisions', `${question} — ${oneLine(answer, MAX_ENTRY / 2)}`)
  }

  notes(foreign: string): CompactNotes {
    return { ...listsBy((name) => [...this.lists[name]]), foreign }
  }
}
