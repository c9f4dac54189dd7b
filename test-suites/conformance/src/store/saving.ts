import assert from 'node:assert/strict'
import type { AgentSessionSnapshot } from '@holdfast/core'
import { assistant, user } from '../memory/expect.ts'
import { assertGone, assertSession, assertStored, grown, sessionOf } from './session-snapshots.ts'
import { storeCase } from './session-store-harness.ts'

/** What a compaction leaves beside the memory. */
const compact: NonNullable<AgentSessionSnapshot['compact']> = {
  summary: 'So far: two inputs.',
  completed: ['read a.ts'],
  pending: ['write b.ts'],
  decisions: ['no tabs'],
  files: ['a.ts', 'b.ts'],
  openQuestions: [],
  report: {
    itemsBefore: 9,
    itemsAfter: 2,
    approxCharsBefore: 900,
    approxCharsAfter: 120,
    approxTokensAfter: 30,
    dropped: 7,
    truncated: 0,
    repairs: ['left out an output without its call'],
    overBudget: false,
  },
}

/** Saving and loading, one writer at a time. */
export const savingCases = [
  storeCase(
    'unknown-id',
    'an id that was never saved loads as undefined, and deleting it answers false',
    async ({ store, other, newId }) => {
      const id = newId()
      await assertGone([store, other], id)
      assert.equal(await store.delete(id), false)
    },
  ),
  storeCase(
    'round-trip',
    'a saved session comes back whole, in each process',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 3, {
        metadata: { createdAt: 1, updatedAt: 2, attributes: { user: 'u-7', tags: ['a', 'b'] } },
      })
      await store.save(session)
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'empty-session',
    'a session without events, items and attributes comes back as it is',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 0)
      const { revision } = await store.save(session)
      await assertStored([store, other], session)
      const next = grown(session, revision, 2)
      await store.save(next)
      await assertStored([store, other], next)
    },
  ),
  storeCase(
    'revisions',
    'each save answers a revision of its own, and a loaded session carries the last one',
    async ({ store, other, newId }) => {
      let session = sessionOf(newId(), 1)
      const seen = new Set<string>()
      for (let round = 0; round < 5; round++) {
        const { revision } = await store.save(session)
        assert.equal(typeof revision, 'string', 'save answers { revision }, a text')
        assert.notEqual(revision, '')
        assert.ok(!seen.has(revision), 'two saves answered the same revision')
        seen.add(revision)
        assert.equal((await store.load(session.id))?.revision, revision)
        assert.equal((await other.load(session.id))?.revision, revision)
        // Every other save changes nothing: it is a save all the same.
        session = round % 2 ? { ...session, revision } : grown(session, revision)
      }
    },
  ),
  storeCase(
    'save-again',
    'saving again what is stored doubles nothing',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 4, { memory: { items: [user('other')], summary: 'S' } })
      let { revision } = await store.save(session)
      for (let round = 0; round < 4; round++) {
        ;({ revision } = await store.save({ ...session, revision }))
        await assertStored([store, other], session)
      }
    },
  ),
  storeCase(
    'one-writer',
    'a writer that saves after each turn, by the revisions it was answered, has every turn stored once',
    async ({ store, other, newId }) => {
      let session = sessionOf(newId(), 1)
      let { revision } = await store.save(session)
      for (let turn = 0; turn < 25; turn++) {
        session = grown(session, revision, 1 + (turn % 3))
        ;({ revision } = await store.save(session))
      }
      await assertStored([store, other], session)
    },
  ),
  storeCase(
    'resume-each-turn',
    'two processes that load, add a turn and save in turns lose and double nothing',
    async ({ store, other, newId }) => {
      let want = sessionOf(newId(), 1)
      await store.save(want)
      for (let turn = 0; turn < 12; turn++) {
        const process = turn % 2 ? store : other
        const found = assertSession(await process.load(want.id), want)
        want = grown(found, found.revision ?? '')
        await process.save(want)
      }
      await assertStored([store, other], want)
    },
  ),
  storeCase(
    'memory-of-its-own',
    'a memory that is not what the events say is kept as it is, and so is the way back',
    async ({ store, other, newId }) => {
      const told = sessionOf(newId(), 3)
      const memories = [
        { items: [user('input 3')] },
        { items: [] },
        { items: [user('input 3'), user('input 2'), assistant('of its own')] },
        { items: told.memory.items, summary: 'over all of it' },
        told.memory,
        { items: [...told.memory.items, user('written past the log')] },
      ]
      let revision: string | undefined
      for (const memory of memories) {
        const next = { ...told, memory, ...(revision === undefined ? {} : { revision }) }
        ;({ revision } = await store.save(next))
        await assertStored([store, other], next)
      }
    },
  ),
  storeCase(
    'memory-behind-events',
    'a memory of its own stays beside events that are added later',
    async ({ store, other, newId }) => {
      let session = sessionOf(newId(), 3, { memory: { items: [user('kept')], summary: 'S' } })
      for (let turn = 0; turn < 5; turn++) {
        const { revision } = await store.save(session)
        await assertStored([store, other], session)
        session = grown(session, revision, turn % 2)
      }
    },
  ),
  storeCase(
    'summary',
    'a summary is kept as it is, blank ones too, and goes when the next save has none',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 2)
      let revision: string | undefined
      for (const summary of ['S', '', ' \n', 'T', undefined, 'U', 'U']) {
        const memory = {
          items: session.memory.items,
          ...(summary === undefined ? {} : { summary }),
        }
        const next = { ...session, memory, ...(revision === undefined ? {} : { revision }) }
        ;({ revision } = await store.save(next))
        await assertStored([store, other], next)
      }
    },
  ),
  storeCase(
    'compact-result',
    'what the last compaction answered is kept, replaced by the next one, and goes when there is none',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 2)
      const { summary: _, ...bare } = compact
      let revision: string | undefined
      for (const each of [compact, compact, bare, undefined, { ...compact, pending: [] }]) {
        const next = {
          ...session,
          ...(each ? { compact: each } : {}),
          ...(revision === undefined ? {} : { revision }),
        }
        ;({ revision } = await store.save(next))
        await assertStored([store, other], next)
      }
    },
  ),
  storeCase(
    'attributes-replaced',
    'attributes are those of the last save: what it leaves out is gone',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 1)
      let revision: string | undefined
      for (const attributes of [{ a: 1, b: 2 }, { b: 3 }, {}, { c: { d: [] } }]) {
        const next = {
          ...session,
          metadata: { ...session.metadata, attributes },
          ...(revision === undefined ? {} : { revision }),
        }
        ;({ revision } = await store.save(next))
        await assertStored([store, other], next)
      }
    },
  ),
]
