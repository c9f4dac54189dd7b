import type { Sweep, Swept } from '../driver.ts'
import { randomName } from '../ids.ts'
import { inParallel } from './in-parallel.ts'
import type { SegmentStore } from './segment-store.ts'

const PARALLEL = 8
/** How often a head that others write is tried; then its orphans are left to the next sweep. */
const TRIES = 5

/** One page of segments: those that no head names, and no write under way may yet name, are removed. */
export async function sweepPage(
  store: SegmentStore,
  { olderThanMs, ...query }: Sweep,
): Promise<Swept> {
  const { segments, next } = await store.listSegments(query)
  const until = Date.now() - olderThanMs
  const byId = new Map<string, string[]>()
  for (const { id, name, at } of segments) {
    if (at > until) continue
    const names = byId.get(id)
    if (names) names.push(name)
    else byId.set(id, [name])
  }
  const counts = await inParallel([...byId], PARALLEL, ([id, names]) => sweepOne(store, id, names))
  const removed = counts.reduce((sum, count) => sum + count, 0)
  return next === undefined ? { removed } : { removed, next }
}

/** `names` were listed before the head is read here: what is written later is not among them. */
async function sweepOne(
  store: SegmentStore,
  id: string,
  names: readonly string[],
): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const head = await store.readHead(id)
    if (head === 'unchanged') continue
    if (head?.unreadable) return 0
    const named = new Set(head?.segments.map(({ name }) => name))
    const orphans = names.filter((name) => !named.has(name))
    if (orphans.length === 0) return 0
    // A stalled writer may be about to name one of them: on this new write of the head, its commit fails.
    if (head && !(await store.writeHead(id, { ...head, guard: randomName() }, head))) continue
    await store.removeSegments(id, orphans)
    return orphans.length
  }
  return 0
}
