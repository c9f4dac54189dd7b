import assert from 'node:assert/strict'
import type { AgentSessionStore, SessionSummary } from '@holdfast/core'
import { failure } from '../memory/expect.ts'
import { grown, sessionOf } from './session-snapshots.ts'
import { measuredCase, type SessionStoreHarness, storeCase } from './session-store-harness.ts'

/** Each page, from the first to the last. */
async function* pagesOf(store: AgentSessionStore, limit?: number) {
  for (let after: string | undefined, page = 0; ; page++) {
    const query = { ...(after === undefined ? {} : { after }), ...(limit ? { limit } : {}) }
    const { sessions, next } = await store.listSessions(query)
    assert.ok(Array.isArray(sessions), 'listSessions answers { sessions }, a list')
    yield sessions
    if (next === undefined) return
    assert.notEqual(next, after, 'the cursor does not move')
    assert.ok(page < 100_000, 'the listing does not end')
    after = next
  }
}

/** All rows, page by page. */
async function rowsOf(store: AgentSessionStore, limit?: number): Promise<SessionSummary[]> {
  const rows: SessionSummary[] = []
  for await (const page of pagesOf(store, limit)) {
    assert.ok(page.length <= (limit ?? 100), `a page of ${page.length}, over its limit`)
    rows.push(...page)
  }
  return rows
}

/** A limit that cuts a listing of whatever size into some twenty pages: the storage may hold others' sessions. */
const smallPage = async (store: AgentSessionStore) =>
  Math.min(1_000, Math.max(2, Math.ceil((await store.listSessionIds()).length / 20)))

const bytewise = (ids: readonly string[]) =>
  [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

const mine = (prefix: string, ids: readonly string[]) => ids.filter((id) => id.includes(prefix))

/** Ids whose order by UTF-16 units, by number or by language is another one. */
async function saveMixed({ store, newId }: SessionStoreHarness) {
  const prefix = newId()
  const ends = ['10', '9', '2', 'a', 'B', 'ä', 'z', '\uff5e', '😀', ' ', '~', '', '-', '_', '/']
  const ids = ends.map((end) => `${prefix}${end}`)
  for (const id of ids) await store.save(sessionOf(id, 1))
  return { prefix, ids: bytewise(ids) }
}

export const listingCases = [
  storeCase(
    'lists-all',
    'both listings show every session once, ascending by the UTF-8 bytes of their ids',
    async (harness) => {
      const { prefix, ids } = await saveMixed(harness)
      for (const store of [harness.store, harness.other]) {
        const all = await store.listSessionIds()
        assert.deepStrictEqual(mine(prefix, all), ids)
        assert.deepStrictEqual(all, bytewise(all), 'not ascending by UTF-8 bytes')
        const rows = (await rowsOf(store)).map(({ id }) => id)
        assert.deepStrictEqual(mine(prefix, rows), ids)
      }
    },
  ),
  storeCase(
    'lists-pages',
    'pages hold at most `limit` sessions and join without a gap or a repeat, whatever the limit; the last one has no cursor',
    async (harness) => {
      const { store, other } = harness
      const { prefix, ids } = await saveMixed(harness)
      const small = await smallPage(store)
      for (const [each, limit] of [
        [store, small],
        [other, small + 1],
        [store, 1_000],
        [other, undefined],
      ] as const) {
        const rows = (await rowsOf(each, limit)).map(({ id }) => id)
        assert.deepStrictEqual(mine(prefix, rows), ids, `limit ${limit}`)
        assert.deepStrictEqual(rows, bytewise(rows))
      }
      const { sessions } = await store.listSessions({ limit: 1 })
      assert.equal(sessions.length, 1)
      const defaults = await store.listSessions({ after: undefined, limit: undefined })
      assert.deepStrictEqual(defaults, await store.listSessions())
      assert.ok(defaults.sessions.length <= 100)
    },
  ),
  storeCase(
    'lists-full-pages',
    '130 sessions: a page without a limit holds 100 of them, and no cursor is a page too early',
    async ({ store, other, newId }) => {
      const prefix = newId()
      for (let n = 0; n < 130; n++) await store.save(sessionOf(`${prefix}-${n}`, 0))
      const pages: number[] = []
      const seen: string[] = []
      for await (const page of pagesOf(other)) {
        pages.push(page.length)
        seen.push(...page.map(({ id }) => id))
      }
      assert.equal(mine(prefix, seen).length, 130)
      assert.ok(
        pages.slice(0, -1).every((size) => size === 100),
        'a page before the last one is not full',
      )
    },
  ),
  storeCase(
    'lists-metadata',
    'a listing carries the metadata of the last save',
    async ({ store, other, newId }) => {
      const session = sessionOf(newId(), 1, {
        metadata: { createdAt: 1.5, updatedAt: 2, attributes: { title: 'one', at: '2026-01-02' } },
      })
      const { revision } = await store.save(session)
      const next = grown(
        { ...session, metadata: { ...session.metadata, attributes: { title: 'zwei\u0000😀' } } },
        revision,
      )
      const shown = async (want: unknown) => {
        for (const each of [store, other]) {
          const row = (await rowsOf(each, 1_000)).find(({ id }) => id === session.id)
          assert.deepStrictEqual(row?.metadata, want)
        }
      }
      await shown(session.metadata)
      await store.save(next)
      await shown(next.metadata)
    },
  ),
  storeCase(
    'lists-beside-writers',
    'pages that are walked while others create, save and delete show each session that was there throughout once, ascending',
    async ({ store, other, newId }) => {
      const prefix = newId()
      const name = (n: number) => `${prefix}-${String(n).padStart(3, '0')}`
      const stay = Array.from({ length: 30 }, (_, n) => name(n * 10))
      const revisions = new Map<string, string>()
      for (const id of stay) revisions.set(id, (await store.save(sessionOf(id, 1))).revision)
      for (let n = 0; n < 30; n++) {
        for (const end of [5, 6]) await store.save(sessionOf(name(n * 10 + end), 1))
      }
      const limit = await smallPage(store)
      const seen: string[] = []
      let round = 0
      for await (const page of pagesOf(other, limit)) {
        seen.push(...page.map(({ id }) => id))
        // What goes was shown already, what comes lies ahead: a cursor that counts loses its place.
        const at = round++ % 30
        for (const end of [5, 6]) await store.delete(name(at * 10 + end))
        await store.save(sessionOf(`${name(299)}-${round}`, 1))
        const id = stay[at] ?? ''
        const saved = grown(sessionOf(id, 1), revisions.get(id) ?? '', 0)
        revisions.set(id, (await store.save(saved)).revision)
      }
      const own = mine(prefix, seen)
      assert.deepStrictEqual(
        own.filter((id) => stay.includes(id)),
        stay,
      )
      assert.equal(new Set(seen).size, seen.length, 'a session is listed twice')
      assert.deepStrictEqual(seen, bytewise(seen))
    },
  ),
  storeCase(
    'lists-behind-the-gone',
    'a page begins behind `after`, whether or not that session exists: a walk that deletes what it is shown meets each once, and ends',
    async ({ store, other, newId }) => {
      const prefix = newId()
      const ids = Array.from({ length: 7 }, (_, n) => `${prefix}-${n}`)
      for (const id of ids) await store.save(sessionOf(id, 1))
      const page = async (after: string, limit: number) => {
        const { sessions, next } = await other.listSessions({ after, limit })
        return { shown: sessions.map(({ id }) => id), next }
      }
      // Nobody ever had these ids; what begins with the prefix lies together, whatever else is stored.
      assert.deepStrictEqual((await page(prefix, 3)).shown, ids.slice(0, 3))
      assert.deepStrictEqual((await page(`${prefix}-3 never`, 3)).shown, ids.slice(4))
      // The first one stays: from the front on is not from behind the gone.
      const [kept = '', ...goes] = ids
      const walked: string[] = []
      for (let after = kept; walked.length < goes.length; ) {
        const { shown, next } = await page(after, 2)
        assert.ok(shown.length > 0, `behind ${after} nothing is listed`)
        for (const id of mine(prefix, shown)) {
          walked.push(id)
          await store.delete(id)
        }
        assert.deepStrictEqual(walked, goes.slice(0, walked.length))
        // The last page need have no cursor; then the last id is one.
        after = next ?? shown.at(-1) ?? ''
      }
      assert.deepStrictEqual(mine(prefix, (await page(prefix, 10)).shown), [kept])
    },
  ),
  storeCase(
    'lists-refuses-limits',
    'a limit that is no whole number from 1 to 1,000 is INVALID_ARGUMENT',
    async ({ store, newId }) => {
      await store.save(sessionOf(newId(), 1))
      for (const limit of [0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY]) {
        await failure(store.listSessions({ limit }), 'INVALID_ARGUMENT')
      }
    },
  ),
  measuredCase(
    'lists-heads-alone',
    'what a listing reads does not grow with the sessions that it lists',
    async (traffic, { store, newId }) => {
      const measured = async (count: number) => {
        const prefix = newId()
        for (let n = 0; n < 5; n++) await store.save(sessionOf(`${prefix}-${n}`, count))
        const before = traffic.read
        const rows = await rowsOf(store, 1_000)
        return (traffic.read - before) / rows.length
      }
      const [short, long] = [await measured(1), await measured(400)]
      assert.ok(
        long < short * 2 + 200,
        `${Math.round(short)} bytes a row for short sessions, ${Math.round(long)} with long ones among them`,
      )
    },
  ),
]
