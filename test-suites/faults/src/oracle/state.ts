/** What one committed state of a memory holds, as the oracle sees it: the JSON text of each item. */
export interface State {
  readonly exists: boolean
  readonly items: readonly string[]
  readonly summary: string | undefined
}

export const NOTHING: State = { exists: false, items: [], summary: undefined }

/** The state of a cell to which nothing was ever written: a deletion is not the same. */
export const NEVER: State = { ...NOTHING }

export const stateWith = (items: readonly string[], summary?: string): State => ({
  exists: true,
  items,
  summary,
})

export function sameState(a: State, b: State): boolean {
  return a.exists === b.exists && a.summary === b.summary && sameTexts(a.items, b.items)
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let at = a.length - 1; at >= 0; at--) if (a[at] !== b[at]) return false
  return true
}

/** Reads stored entries by their documented form alone, with none of core's code: an object is an item, the last summary counts. */
export function stateOfEntries(head: string, entries: readonly string[]): State {
  if ((JSON.parse(head) as { d?: 1 }).d) return NOTHING
  const items: string[] = []
  let summary: string | undefined
  for (const entry of entries) {
    if (entry.startsWith('{')) items.push(entry)
    else {
      const [kind, text] = JSON.parse(entry) as unknown[]
      if (kind !== 'summary') throw new Error(`no soak stores ${entry.slice(0, 80)}`)
      summary = text as string | undefined
    }
  }
  return stateWith(items, summary)
}
