/** Runs `task` for every item, at most `limit` at a time; answers in the order of the items. After an error none begins. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const work = items.entries()
  let failed = false
  const worker = async () => {
    for (const [at, item] of work) {
      if (failed) return
      try {
        results[at] = await task(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}
