import type { AgentEvent, AgentSessionSnapshot } from '@holdfast/core'
import { user } from '../memory/expect.ts'
import { assertRefused, assertStored, grown, inputs, sessionOf } from './session-snapshots.ts'
import { type SessionStoreHarness, storeCase } from './session-store-harness.ts'

/** Saves a session of `count` inputs; answers it with the revision that it got. */
async function saved({ store, newId }: SessionStoreHarness, count: number) {
  const session = sessionOf(newId(), count)
  return { ...session, revision: (await store.save(session)).revision }
}

/** `session` with other events and the memory that they say, to be saved over its own state. */
const rewritten = (
  session: AgentSessionSnapshot & { revision: string },
  events: readonly AgentEvent[],
): AgentSessionSnapshot => ({
  ...sessionOf(session.id, 0, { events, metadata: session.metadata }),
  revision: session.revision,
})

const edited = (events: readonly AgentEvent[], at: number, change: Partial<AgentEvent>) =>
  events.map((event, index) => (index === at ? { ...event, ...change } : event))

/** The event that stands for everything up to `sequence`, as `session.trimEvents` leaves it. */
const baseline = (sequence: number): AgentEvent => ({
  sequence,
  type: 'SESSION_RESTORED',
  at: 1,
  payload: {
    reason: 'trim',
    items: inputs(sequence).flatMap(({ payload }) => payload['items'] as []),
  },
})

/** Saves that must be refused: each writes nothing. */
export const conflictCases = [
  storeCase(
    'create-once',
    'a session without a revision is not saved over an existing one: CONFLICT, nothing written',
    async (harness) => {
      const { store, other } = harness
      const first = await saved(harness, 3)
      for (const next of [sessionOf(first.id, 1), sessionOf(first.id, 3), sessionOf(first.id, 5)]) {
        await assertRefused([other, store], next, 'CONFLICT', first)
      }
      await store.save(grown(first, first.revision))
    },
  ),
  storeCase(
    'stale-revision',
    'a session that was loaded before a newer save is not saved over it: CONFLICT, nothing written',
    async (harness) => {
      const { store, other } = harness
      const first = await saved(harness, 2)
      const stale = grown(first, first.revision, 2)
      const newer = grown(first, first.revision)
      const { revision } = await store.save(newer)
      await assertRefused([other, store], stale, 'CONFLICT', newer)
      await assertRefused([store, other], { ...newer, revision: first.revision }, 'CONFLICT', newer)
      const newest = grown(newer, revision)
      await store.save(newest)
      for (const old of [first.revision, revision]) {
        await assertRefused([store, other], { ...stale, revision: old }, 'CONFLICT', newest)
      }
    },
  ),
  storeCase(
    'foreign-revision',
    'a revision of another session, one that never was, and look-alikes of the current one are CONFLICT',
    async (harness) => {
      const { store, other } = harness
      const [mine, foreign] = [await saved(harness, 2), await saved(harness, 2)]
      const { revision } = mine
      const wrong = [foreign.revision, `${revision} `, `${revision}0`, revision.slice(0, -1), '0']
      for (const each of wrong) {
        if (each === '' || each === revision) continue
        await assertRefused([store, other], grown(mine, each), 'CONFLICT', mine)
      }
      await store.save(grown(mine, revision))
    },
  ),
  storeCase(
    'revision-of-nothing',
    'a session with a revision is not saved where nothing is stored: CONFLICT, nothing created',
    async (harness) => {
      const { store, other, newId } = harness
      const { revision } = await saved(harness, 1)
      const next = { ...sessionOf(newId(), 2), revision }
      await assertRefused([store, other], next, 'CONFLICT', undefined)
      await store.save(sessionOf(next.id, 2))
    },
  ),
  storeCase(
    'edited-events',
    'a session whose stored events were edited is CONFLICT, whatever was edited, and nothing is written',
    async (harness) => {
      const { store, other } = harness
      const first = await saved(harness, 5)
      const { events } = first
      const input = { items: [user('another past')] as never }
      for (const at of [0, 2, 4]) {
        for (const change of [
          { payload: input },
          { type: 'MEMORY_ITEMS_APPENDED' as const },
          { at: 7 },
          { runId: 'added' },
        ]) {
          const next = rewritten(first, [...edited(events, at, change), ...inputs(1, 6)])
          await assertRefused([store, other], next, 'CONFLICT', first)
        }
      }
      // By a process that did not write them, and with nothing added behind.
      const next = rewritten(first, edited(events, 1, { payload: input }))
      await assertRefused([other, store], next, 'CONFLICT', first)
      await store.save(grown(first, first.revision))
    },
  ),
  storeCase(
    'missing-events',
    'a session from which stored events are missing is CONFLICT: no baseline stands for them',
    async (harness) => {
      const { store, other } = harness
      const first = await saved(harness, 6)
      const { events } = first
      for (const left of [
        events.slice(0, 4),
        events.filter(({ sequence }) => sequence !== 3),
        [...events.slice(0, 5), ...inputs(2, 7)],
        [],
      ]) {
        await assertRefused([store, other], rewritten(first, left), 'CONFLICT', first)
      }
    },
  ),
  storeCase(
    'trimmed-front',
    'events at the front may give way to a baseline, again and again; those behind it stay and go on',
    async (harness) => {
      const { store, other } = harness
      let session: AgentSessionSnapshot & { revision: string } = await saved(harness, 6)
      for (const until of [3, 5, 8]) {
        const trimmed: AgentSessionSnapshot = {
          ...session,
          events: [baseline(until), ...session.events.filter(({ sequence }) => sequence > until)],
        }
        const { revision } = await other.save(trimmed)
        await assertStored([store, other], trimmed)
        const next = grown(trimmed, revision, 2)
        session = { ...next, revision: (await store.save(next)).revision }
        await assertStored([store, other], session)
      }
    },
  ),
  storeCase(
    'trimmed-and-edited',
    'a baseline in front is no licence: an edited event behind it is CONFLICT',
    async (harness) => {
      const { store, other } = harness
      const first = await saved(harness, 6)
      const rest = edited(first.events.slice(3), 1, { at: 7 })
      const next = { ...rewritten(first, [baseline(3), ...rest]), memory: first.memory }
      await assertRefused([store, other], next, 'CONFLICT', first)
    },
  ),
]
