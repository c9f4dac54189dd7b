/** The name that was probably meant: one that begins so, or that is at most two typing errors away. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  if (word === '' || word.length > 30) return undefined
  const begins = names.find((name) => name.startsWith(word))
  if (begins) return begins
  const near = names
    .map((name) => ({ name, away: distance(word, name) }))
    .filter(({ name, away }) => away <= Math.min(2, Math.floor(name.length / 2)))
  return near.sort((a, b) => a.away - b.away)[0]?.name
}

/** How many characters must be added, removed, changed or swapped with the next (Damerau-Levenshtein). */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i])
  const at = (i: number, j: number) => rows[i]?.[j] ?? Math.max(i, j)
  for (let i = 0; i <= a.length; i++) {
    for (let j = i === 0 ? 0 : 1; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        ;(rows[i] as number[])[j] = i + j
        continue
      }
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      ;(rows[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (same ? 0 : 1),
        swapped ? at(i - 2, j - 2) + 1 : Infinity,
      )
    }
  }
  return at(a.length, b.length)
}
