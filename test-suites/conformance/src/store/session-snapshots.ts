import assert from 'node:assert/strict'
import type {
  AgentEvent,
  AgentItem,
  AgentSessionSnapshot,
  AgentSessionStore,
  JsonObject,
} from '@holdfast/core'
import { failure, user } from '../memory/expect.ts'

/** Any time will do: order never depends on it. Fractions and ties are times, too. */
const START = 1_700_000_000_000

/** The event by which a session's memory gets `items`. */
export const inputEvent = (sequence: number, items: readonly AgentItem[]): AgentEvent => ({
  sequence,
  type: 'USER_INPUT',
  at: START + Math.floor(sequence / 3),
  payload: { items: items as readonly JsonObject[] },
})

/** `count` events from `first` on; each adds one message that says its number. */
export const inputs = (count: number, first = 1): AgentEvent[] =>
  Array.from({ length: count }, (_, index) =>
    inputEvent(first + index, [user(`input ${first + index}`)]),
  )

/** What folding input events gives. */
const itemsOf = (events: readonly AgentEvent[]): AgentItem[] =>
  events.flatMap(({ payload }) => (payload['items'] as AgentItem[] | undefined) ?? [])

/** A session of `count` inputs, whose memory is what its events say; `rest` replaces parts of it. */
export function sessionOf(
  id: string,
  count: number,
  rest: Partial<AgentSessionSnapshot> = {},
): AgentSessionSnapshot {
  const events = rest.events ?? inputs(count)
  return {
    id,
    metadata: { createdAt: START, updatedAt: events.at(-1)?.at ?? START, attributes: {} },
    memory: { items: itemsOf(events) },
    events,
    ...rest,
  }
}

/** `snapshot` after `count` more inputs, to be saved over the state `revision`. */
export function grown(
  snapshot: AgentSessionSnapshot,
  revision: string,
  count = 1,
): AgentSessionSnapshot {
  const added = inputs(count, (snapshot.events.at(-1)?.sequence ?? 0) + 1)
  return {
    ...snapshot,
    metadata: { ...snapshot.metadata, updatedAt: added.at(-1)?.at ?? snapshot.metadata.updatedAt },
    memory: { ...snapshot.memory, items: [...snapshot.memory.items, ...itemsOf(added)] },
    events: [...snapshot.events, ...added],
    revision,
  }
}

/** A session as a whole, but for its revision; whether or not the absent parts have a key. */
const plain = ({ id, metadata, memory, events, compact }: AgentSessionSnapshot) => ({
  id,
  metadata,
  memory: { items: memory.items, summary: memory.summary },
  events,
  compact,
})

/** Asserts that `found` is `want`, down to the order of keys; names what differs, never megabytes of it. */
export function assertSession(
  found: AgentSessionSnapshot | undefined,
  want: AgentSessionSnapshot,
): AgentSessionSnapshot {
  assert.ok(found, `nothing is stored for ${JSON.stringify(want.id)}`)
  const [a, b] = [plain(found), plain(want)]
  assert.equal(a.id, b.id, 'another id')
  assertSame('metadata', a.metadata, b.metadata)
  assertSame('memory.summary', a.memory.summary, b.memory.summary)
  assertSame('compact', a.compact, b.compact)
  assertList('events', a.events, b.events)
  assertList('memory.items', a.memory.items, b.memory.items)
  return found
}

/** The text of a value; JSON alone would not tell `undefined` from nothing. */
const textOf = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

const shorten = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 100)}…${text.slice(-60)} (${text.length} units)` : text

function assertSame(what: string, found: unknown, want: unknown): void {
  const [a, b] = [textOf(found), textOf(want)]
  assert.ok(a === b, `${what}: stored ${shorten(a)}, want ${shorten(b)}`)
  if (a.length < 10_000) assert.deepStrictEqual(found, want, what)
}

function assertList(what: string, found: readonly unknown[], want: readonly unknown[]): void {
  assert.ok(Array.isArray(found), `${what} is not an array`)
  for (const [index, each] of want.entries()) {
    assertSame(`${what}[${index}] of ${want.length}`, found[index], each)
  }
  assert.equal(found.length, want.length, `${what}: another number of them is stored`)
}

/** Asserts that each of `stores` holds exactly `want`. */
export async function assertStored(
  stores: readonly AgentSessionStore[],
  want: AgentSessionSnapshot,
): Promise<void> {
  for (const store of stores) assertSession(await store.load(want.id), want)
}

/** Asserts that none of `stores` has a session of that id. */
export async function assertGone(stores: readonly AgentSessionStore[], id: string): Promise<void> {
  for (const store of stores) {
    assert.equal(await store.load(id), undefined, `${JSON.stringify(id)} is still there`)
  }
}

/** Asserts that `save` of `next` is refused with `code`, and that `stored` is what `stores` still hold. */
export async function assertRefused(
  stores: readonly [AgentSessionStore, ...AgentSessionStore[]],
  next: AgentSessionSnapshot,
  code: string,
  stored: AgentSessionSnapshot | undefined,
): Promise<void> {
  const before = await stores[0].load(next.id)
  await failure(stores[0].save(next), code)
  if (!stored) return assertGone(stores, next.id)
  for (const store of stores) {
    const after = assertSession(await store.load(next.id), stored)
    assert.equal(after.revision, before?.revision, 'a refused save made another revision')
  }
}

/** `error.code`, where it has one. */
export const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code
