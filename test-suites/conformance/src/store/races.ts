import assert from 'node:assert/strict'
import type { AgentSessionStore } from '@holdfast/core'
import { user } from '../memory/expect.ts'
import {
  assertGone,
  assertSession,
  assertStored,
  codeOf,
  grown,
  sessionOf,
} from './session-snapshots.ts'
import { storeRace } from './session-store-harness.ts'

/** Runs `task` for 0 … count − 1 at once, in both processes. */
const together = <T>(
  count: number,
  { store, other }: { readonly store: AgentSessionStore; readonly other: AgentSessionStore },
  task: (store: AgentSessionStore, index: number) => Promise<T>,
): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index % 2 ? other : store, index)))

/** True where the save was done, false where it was refused with `CONFLICT`; whatever else it says is a failure. */
const wins = (save: Promise<unknown>): Promise<boolean> =>
  save.then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'CONFLICT') return false
      throw error
    },
  )

export const raceCases = [
  storeRace(
    'race-create',
    'of 8 that create one id at once exactly one succeeds, and its session is what is stored',
    async (harness) => {
      for (let round = 0; round < 5; round++) {
        const id = harness.newId()
        const session = (by: number) =>
          sessionOf(id, 1 + by, { memory: { items: [user(`${by}`)] } })
        const won = await together(8, harness, (store, by) => wins(store.save(session(by))))
        assert.equal(won.filter(Boolean).length, 1, 'so many creations succeeded')
        await assertStored([harness.store, harness.other], session(won.indexOf(true)))
      }
    },
  ),
  storeRace(
    'race-save',
    'of 8 that save over one revision at once exactly one succeeds, and its session is what is stored',
    async (harness) => {
      let session = sessionOf(harness.newId(), 2)
      let { revision } = await harness.store.save(session)
      for (let round = 0; round < 5; round++) {
        const next = (by: number) => {
          const { memory, ...rest } = grown(session, revision, 1 + by)
          return { ...rest, memory: { items: memory.items, summary: `by ${by}` } }
        }
        const won = await together(8, harness, (store, by) => wins(store.save(next(by))))
        assert.equal(won.filter(Boolean).length, 1, 'so many saves succeeded')
        session = next(won.indexOf(true))
        revision =
          assertSession(await harness.other.load(session.id), session).revision ?? assert.fail()
        await assertStored([harness.store], session)
      }
    },
  ),
  storeRace(
    'race-count',
    'writers in two processes that load, add one event and save until it succeeds add up exactly',
    async (harness) => {
      const first = sessionOf(harness.newId(), 1)
      await harness.store.save(first)
      await together(6, harness, async (store) => {
        for (let added = 0, tries = 0; added < 5; tries++) {
          assert.ok(tries < 2_000, 'no save succeeds')
          const found = (await store.load(first.id)) ?? assert.fail('the session is gone')
          if (await wins(store.save(grown(found, found.revision ?? '')))) added++
        }
      })
      await assertStored([harness.store, harness.other], sessionOf(first.id, 31))
    },
  ),
  storeRace(
    'race-read',
    'what is loaded beside a writer is one state: metadata, memory and events of one save',
    async ({ store, other, newId }) => {
      const id = newId()
      const state = (turn: number) => ({
        ...sessionOf(id, 1 + turn * 3, {
          memory: { items: [user(`memory of ${turn}`)], summary: String(turn) },
        }),
        metadata: { createdAt: 1, updatedAt: turn, attributes: { turn } },
      })
      let { revision } = await store.save(state(0))
      let writing = true
      const read = async (from: AgentSessionStore) => {
        while (writing) {
          const found = await from.load(id)
          assertSession(found, state(Number(found?.memory.summary)))
          await new Promise((done) => setTimeout(done, Math.random() * 3))
        }
      }
      const readers = Promise.all([read(other), read(store)])
      const write = async () => {
        for (let turn = 1; turn < 25; turn++) {
          ;({ revision } = await store.save({ ...state(turn), revision }))
          await new Promise((done) => setTimeout(done, Math.random() * 3))
        }
      }
      const done = write()
      try {
        await Promise.race([done, readers])
      } finally {
        writing = false
        await Promise.allSettled([readers])
      }
      await Promise.all([done, readers])
    },
  ),
  storeRace(
    'race-delete',
    'a deletion beside savers ends the session: no save by an older revision brings it back',
    async (harness) => {
      for (let round = 0; round < 5; round++) {
        const first = sessionOf(harness.newId(), 2)
        const { revision } = await harness.store.save(first)
        const next = grown(first, revision)
        const answers = await together(6, harness, async (store, by) => {
          await new Promise((done) => setTimeout(done, Math.random() * 3))
          return by === 3 ? store.delete(first.id) : wins(store.save(next))
        })
        assert.equal(answers[3], true, 'delete answers that there was one')
        await assertGone([harness.store, harness.other], first.id)
        assert.equal(await wins(harness.store.save(next)), false)
      }
    },
  ),
]
