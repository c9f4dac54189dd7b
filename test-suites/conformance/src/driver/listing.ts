import assert from 'node:assert/strict'
import {
  accepted,
  create,
  freshScope,
  listAll,
  numbered,
  pause,
  readCell,
  remove,
  state,
  together,
  within,
} from './cells.ts'
import { type DriverCase, needs } from './driver-harness.ts'

/** Orders as UTF-8 does; `<` on strings orders UTF-16 units, which puts emoji before U+FF5E. */
export const byUtf8 = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b))

const NAMES = [
  'b',
  'B',
  'a',
  'A',
  'é',
  'z',
  'Z',
  '10',
  '9',
  '1',
  'ab',
  'a b',
  '～',
  '😀',
  'ä',
  '_',
  '-',
  '~',
  '~1',
  '日本',
]

export const listingCases: readonly DriverCase[] = [
  {
    id: 'list-ascending',
    name: 'a listing is ascending by the UTF-8 bytes of the ids, whatever the collation',
    async run({ driver }) {
      const scope = freshScope()
      for (const name of NAMES) await create(driver, scope + name, state(numbered(1)))
      const rows = await driver.list({ ...within(scope), limit: 1_000 })
      assert.deepEqual(
        rows.map((row) => row.id),
        NAMES.map((name) => scope + name).sort(byUtf8),
      )
    },
  },
  {
    id: 'list-bounds',
    name: 'after and before are exclusive, and need not exist',
    async run({ driver }) {
      const scope = freshScope()
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await create(driver, scope + name, state(numbered(1)))
      }
      const names = async (after: string, before: string, limit = 100) =>
        (await driver.list({ after: scope + after, before: scope + before, limit })).map((row) =>
          row.id.slice(scope.length),
        )
      assert.deepEqual(await names('a', 'e'), ['b', 'c', 'd'])
      assert.deepEqual(await names('aa', 'cc'), ['b', 'c'])
      assert.deepEqual(await names('b', 'c'), [])
      assert.deepEqual(await names('b', 'b'), [])
      assert.deepEqual(await names('d', 'zz'), ['e'])
      assert.deepEqual(await names('x', 'zz'), [])
      const { after } = within(scope)
      const open = await driver.list({ after, limit: 2 })
      assert.deepEqual(
        open.map((row) => row.id),
        [`${scope}a`, `${scope}b`],
        'without before',
      )
      const [first, ...more] = await driver.list({ before: `${scope}b`, limit: 1 })
      assert.ok(first && more.length === 0 && byUtf8(first.id, `${scope}b`) < 0, 'without after')
    },
  },
  {
    id: 'list-limit',
    name: 'a page holds at most limit rows, and the first ones of the range',
    async run({ driver }) {
      const scope = freshScope()
      const names = Array.from({ length: 25 }, (_, index) => `n${String(index).padStart(3, '0')}`)
      for (const name of [...names].reverse()) await create(driver, scope + name, state([]))
      for (const limit of [1, 2, 24, 25, 26, 1_000]) {
        const rows = await driver.list({ ...within(scope), limit })
        assert.deepEqual(
          rows.map((row) => row.id),
          names.slice(0, limit).map((name) => scope + name),
        )
      }
    },
  },
  {
    id: 'list-full-pages',
    name: 'a page has fewer than limit rows only where there are no more',
    async run({ driver }) {
      const scope = freshScope()
      const want = Array.from({ length: 601 }, (_, index) => `${scope}n${1_000 + index}`)
      await together(8, async (lane) => {
        for (const id of want.filter((_, index) => index % 8 === lane)) {
          await create(driver, id, state([]))
        }
      })
      for (const limit of [600, 601, 1_000]) {
        const rows = await driver.list({ ...within(scope), limit })
        assert.equal(rows.length, Math.min(limit, want.length), `rows at limit ${limit}`)
        assert.deepEqual(
          rows.map((row) => row.id),
          want.slice(0, limit),
        )
      }
    },
  },
  {
    id: 'list-pages',
    name: 'walked page by page, a listing shows each id once',
    async run({ driver, other }) {
      const scope = freshScope()
      const want = Array.from({ length: 31 }, (_, index) => `${scope}${(index * 7919) % 1_009}`)
      for (const [index, id] of want.entries()) {
        await create(index % 2 === 0 ? driver : other, id, state(numbered(1)))
      }
      want.sort(byUtf8)
      for (const limit of [1, 4, 31]) {
        const rows = await listAll(other, within(scope), limit)
        assert.deepEqual(
          rows.map((row) => row.id),
          want,
        )
      }
    },
  },
  {
    id: 'list-rows',
    name: 'a row gives the head and the revision that are stored now',
    async run({ driver, other }) {
      const scope = freshScope()
      const id = `${scope}row`
      const row = async () => {
        const [only, ...more] = await other.list({ ...within(scope), limit: 10 })
        assert.equal(more.length, 0)
        return { id: only?.id, head: only?.head, revision: only?.revision }
      }
      const first = state(numbered(2), '{"v":"é 😀 1"}')
      let version = await create(driver, id, first)
      assert.deepEqual(await row(), { id, head: first.head, revision: first.revision })
      const second = state(numbered(1), '{"v":2}')
      version = accepted(await driver.replace(id, second, version), second)
      assert.deepEqual(await row(), { id, head: second.head, revision: second.revision })
      if (!driver.append) return
      const third = { revision: crypto.randomUUID(), head: '{"v":3}', drop: 1, entries: ['3'] }
      accepted(await driver.append(id, third, version), third)
      assert.deepEqual(await row(), { id, head: third.head, revision: third.revision })
    },
  },
  {
    id: 'list-deleted',
    name: 'a deleted session is not listed; created again it is listed once',
    applies: needs('delete'),
    async run({ driver, other }) {
      const scope = freshScope()
      for (const name of ['a', 'b', 'c']) await create(driver, scope + name, state(numbered(2)))
      const names = async () =>
        (await other.list({ ...within(scope), limit: 10 })).map((row) => row.id.slice(scope.length))
      await remove(driver, `${scope}b`, await readCell(driver, `${scope}b`))
      assert.deepEqual(await names(), ['a', 'c'])
      await create(driver, `${scope}b`, state(numbered(1)))
      assert.deepEqual(await names(), ['a', 'b', 'c'])
    },
  },
  {
    id: 'list-siblings',
    name: 'a range holds its own ids alone: acme shows nothing of acme-corp, and % and _ match nothing',
    async run({ driver }) {
      const token = crypto.randomUUID()
      const scopes = [
        'acme',
        'acme-corp',
        'acme2',
        'acme_corp',
        'acmex',
        'ac%',
        'ac_e',
        'ACME',
        'acme ',
        'a*',
        'acmé',
      ].map((name) => `m1:${token}${name}:`)
      for (const scope of scopes) await create(driver, `${scope}x`, state(numbered(1)))
      await create(driver, `m0:${token}acme`, state(numbered(1)))
      await create(driver, `m2:${token}acme:inner:x`, state(numbered(1)))
      for (const scope of scopes) {
        const rows = await driver.list({ ...within(scope), limit: 100 })
        assert.deepEqual(
          rows.map((row) => row.id),
          [`${scope}x`],
        )
      }
    },
  },
  {
    id: 'list-empty',
    name: 'an empty range is an empty page',
    async run({ driver }) {
      const token = crypto.randomUUID()
      for (const name of ['a', 'c']) await create(driver, `m1:${token}${name}:x`, state([]))
      assert.deepEqual(await driver.list({ ...within(`m1:${token}b:`), limit: 5 }), [])
    },
  },
  {
    id: 'list-light',
    name: 'a row carries no entries: listing long sessions loads none of them',
    async run({ driver }) {
      const scope = freshScope()
      const long = JSON.stringify('x'.repeat(200_000))
      for (const name of ['a', 'b']) await create(driver, scope + name, state([long, long]))
      const rows = await driver.list({ ...within(scope), limit: 10 })
      assert.equal(rows.length, 2)
      assert.ok(JSON.stringify(rows).length < 20_000, 'the rows hold what the sessions hold')
    },
  },
  {
    id: 'list-while-writing',
    name: 'pages walked while others write show each id that was there throughout once, ascending',
    race: true,
    async run({ driver, other }) {
      const scope = freshScope()
      const steady = Array.from({ length: 20 }, (_, index) => `${scope}s${100 + index}`)
      for (const id of steady) await create(driver, id, state(numbered(1)))
      let walking = true
      const busy = async (writer: typeof driver, label: string) => {
        // Bounded: where there is no delete, what passes piles up faster than it can be walked.
        for (let round = 0; walking && round < 25; round++) {
          const passing = `${scope}s${100 + (round % 20)}${label}${round}`
          const version = await create(writer, passing, state(numbered(1)))
          const id = steady[round % steady.length] ?? ''
          await writer.replace(id, state(numbered(2)), await readCell(writer, id))
          await writer.delete?.(passing, version)
          await pause()
        }
      }
      const writers = [busy(driver, 'x'), busy(other, 'y')]
      try {
        for (const limit of [3, 7, 20]) {
          const ids = (await listAll(driver, within(scope), limit)).map((row) => row.id)
          assert.deepEqual(ids, [...new Set(ids)].sort(byUtf8), 'repeated or out of order')
          const seen = new Set(ids)
          assert.deepEqual(
            steady.filter((id) => !seen.has(id)),
            [],
            'missed ids that were there throughout',
          )
        }
      } finally {
        walking = false
        await Promise.all(writers)
      }
    },
  },
]
