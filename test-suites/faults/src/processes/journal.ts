import { readFileSync } from 'node:fs'
import type { JournalLine } from './race-worker.ts'

export interface Replay {
  /** The tokens of the last state, in order. */
  readonly tokens: readonly string[]
  readonly revision: string | null
  readonly commits: number
  /** Every token in the order in which it came. */
  readonly arrived: readonly string[]
}

/**
 * Puts the commits that all processes noted into the one order that their revisions name, and replays
 * them. Throws where two commits follow one state, where one is missing, where an item comes twice, or
 * where a state is not the state before it, with the new items behind it, cut to the window.
 */
export function replayJournals(files: readonly string[], window: number): Replay {
  const next = new Map<string | null, JournalLine>()
  for (const file of files) {
    for (const text of readFileSync(file, 'utf8').split('\n')) {
      if (!text) continue
      const line = JSON.parse(text) as JournalLine
      if (next.has(line.expected)) throw new Error(`two commits follow ${line.expected}`)
      next.set(line.expected, line)
    }
  }
  const total = next.size
  const arrived = new Set<string>()
  let tokens: readonly string[] = []
  let revision: string | null = null
  let commits = 0
  for (let line = next.get(null); line; line = next.get(revision)) {
    const kept = line.drop < 0 ? [] : tokens.slice(line.drop)
    const after: readonly string[] = [...kept, ...line.tokens]
    const known = new Set(tokens)
    const fresh = after.filter((token) => !known.has(token))
    if (fresh.length === 0) throw new Error(`commit ${line.revision} adds nothing`)
    for (const token of fresh) {
      if (arrived.has(token)) throw new Error(`${token} was applied twice`)
      arrived.add(token)
    }
    const right = [...tokens, ...fresh].slice(-window)
    if (after.join() !== right.join()) {
      throw new Error(`commit ${line.revision} makes ${after.join()}, must make ${right.join()}`)
    }
    tokens = after
    revision = line.revision
    commits++
  }
  if (commits < total) throw new Error(`${total - commits} commits hang on no known state`)
  return { tokens, revision, commits, arrived: [...arrived] }
}
