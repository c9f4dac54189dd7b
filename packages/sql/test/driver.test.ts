import type { SessionDriver, StoredSession } from '@holdfast/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlDriver } from '../src/index.ts'
import { type Engine, pgliteEngine, sqliteEngine } from './support/engines.ts'

const hostile = [
  "'; DROP TABLE holdfast_sessions; --",
  '"quoted"',
  'back\\slash \\u0000 \\n',
  '$1 ? :name @x %s {x}',
  '\u00e9',
  'e\u0301',
  'E\u0301\u200d👩‍👩‍👧‍👦',
  'blank ',
  'blank',
  '*',
  '%',
  '_',
  '..',
  'ß',
  'SS',
  '\u{10FFFF}',
  '\uFFFD',
  '\uE000',
]

const session = (revision: string, entries: readonly string[], head = `{"at":"${revision}"}`) =>
  ({ revision, head, entries }) satisfies StoredSession

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `{"n":${from + i}}`)

let count = 0
const newId = () => `m0:driver-${count++}`

describe.each([
  ['SQLite', async () => sqliteEngine()],
  ['PGlite', pgliteEngine],
] as const)('the driver on %s', (_, open) => {
  let engine: Engine
  let driver: Required<SessionDriver>

  beforeAll(async () => {
    engine = await open()
    driver = (await sqlDriver(engine.db)) as Required<SessionDriver>
  })
  afterAll(() => engine.close())

  const rows = (id: string) =>
    engine.query(
      'SELECT e.n, e.body FROM holdfast_sessions s JOIN holdfast_entries e USING (session) WHERE s.id = $1 ORDER BY e.n',
      id,
    )
  const total = async () =>
    (await engine.query('SELECT count(*) AS total FROM holdfast_entries'))[0]?.['total']

  it('keeps a head row and a row per entry, which numbers go on and never come again', async () => {
    const id = newId()
    expect(await driver.replace(id, session('r1', ['{"a":1}', '["b"]']), null)).toEqual({
      revision: 'r1',
    })
    expect(await rows(id)).toEqual([
      { n: 0, body: '{"a":1}' },
      { n: 1, body: '["b"]' },
    ])
    const change = { revision: 'r2', head: '{}', drop: 1, entries: ['c', 'd'] }
    expect(await driver.append(id, change, { revision: 'r1' })).toMatchObject({ revision: 'r2' })
    expect((await rows(id)).map(({ n }) => n)).toEqual([1, 2, 3])
    await driver.replace(id, session('r3', ['x']), { revision: 'r2' })
    expect(await rows(id)).toEqual([{ n: 4, body: 'x' }])
    expect(
      await engine.query(
        'SELECT revision, head, "first", "next" FROM holdfast_sessions WHERE id = $1',
        id,
      ),
    ).toEqual([{ revision: 'r3', head: '{"at":"r3"}', first: 4, next: 5 }])
  })

  it('leaves nothing behind where something was deleted', async () => {
    const id = newId()
    const before = await total()
    await driver.replace(id, session('r1', numbered(50)), null)
    expect(await driver.delete(id, { revision: 'r0' })).toBe(false)
    expect(await rows(id)).toHaveLength(50)
    expect(await driver.delete(id, { revision: 'r1' })).toBe(true)
    expect(await total()).toEqual(before)
    expect(await driver.read(id)).toBeNull()
    expect(await driver.delete(id, { revision: 'r1' })).toBe(false)
    await driver.replace(id, session('r2', ['new']), null)
    expect(await driver.read(id)).toEqual(session('r2', ['new']))
  })

  it('changes nothing for a revision that is not the stored one', async () => {
    const id = newId()
    await driver.replace(id, session('r1', ['a']), null)
    const stale = { revision: 'r0' }
    const change = { revision: 'r2', head: '{}', drop: 1, entries: ['b', 'c'] }
    expect(await driver.replace(id, session('r2', ['b']), null)).toBe(false)
    expect(await driver.replace(id, session('r2', ['b']), stale)).toBe(false)
    expect(await driver.append(id, change, stale)).toBe(false)
    expect(await driver.append(id, { ...change, drop: 0, entries: [] }, stale)).toBe(false)
    expect(await driver.append(newId(), change, { revision: 'r1' })).toBe(false)
    expect(await driver.read(id)).toEqual(session('r1', ['a']))
    expect(await rows(id)).toEqual([{ n: 0, body: 'a' }])
  })

  it.each([0, 1, 2, 7])('adds %i entries at once, in order', async (amount) => {
    const id = newId()
    await driver.replace(id, session('r1', numbered(3)), null)
    const change = { revision: 'r2', head: 'h', drop: 0, entries: numbered(amount, 3) }
    await driver.append(id, change, { revision: 'r1' })
    expect(await driver.read(id)).toEqual(session('r2', numbered(3 + amount), 'h'))
  })

  it.each([0, 1, 9, 10])('drops %i of 10 entries, at the front', async (drop) => {
    const id = newId()
    await driver.replace(id, session('r1', numbered(10)), null)
    for (const [at, entries] of [[], ['x'], ['x', 'y']].entries()) {
      const dropped = at === 0 ? drop : 0
      const change = { revision: `r${at + 2}`, head: 'h', drop: dropped, entries }
      await driver.append(id, change, { revision: `r${at + 1}` })
    }
    const left = [...numbered(10 - drop, drop), 'x', 'x', 'y']
    expect(await driver.read(id)).toEqual(session('r4', left, 'h'))
    expect(await rows(id)).toHaveLength(left.length)
  })

  it('reads by unless and skip, and sends no entry of an unchanged session', async () => {
    const id = newId()
    await driver.replace(id, session('r1', numbered(5)), null)
    await driver.append(
      id,
      { revision: 'r2', head: 'h', drop: 2, entries: ['x'] },
      { revision: 'r1' },
    )
    expect(await driver.read(id, { unless: 'r2' })).toBe('unchanged')
    expect(await driver.read(id, { unless: 'r2', skip: 1 })).toBe('unchanged')
    expect(await driver.read(id, { unless: 'r1', skip: 3 })).toEqual(session('r2', ['x'], 'h'))
    expect(await driver.read(id, { skip: 1 })).toMatchObject({
      entries: ['{"n":3}', '{"n":4}', 'x'],
    })
    for (const skip of [4, 5, 1000]) {
      expect(await driver.read(id, { skip })).toEqual(session('r2', [], 'h'))
    }
    expect(await driver.read(newId(), { unless: 'r2', skip: 2 })).toBeNull()
  })

  it('keeps hostile ids and values byte for byte, and lists them by their bytes', async () => {
    const ids = hostile.map((text) => `m9:${text}`)
    for (const [i, id] of ids.entries()) {
      await driver.replace(id, session(`r${i}`, [id, ...hostile], id), null)
    }
    for (const [i, id] of ids.entries()) {
      expect(await driver.read(id)).toEqual(session(`r${i}`, [id, ...hostile], id))
      expect(await rows(id)).toHaveLength(hostile.length + 1)
    }
    const sorted = [...ids].sort((one, other) =>
      Buffer.compare(Buffer.from(one), Buffer.from(other)),
    )
    const range = { after: 'm9:', before: 'm9;' }
    const all = await driver.list({ ...range, limit: 100 })
    expect(all.map(({ id }) => id)).toEqual(sorted)
    expect(all[0]).toEqual({
      id: sorted[0],
      revision: `r${ids.indexOf(sorted[0] ?? '')}`,
      head: sorted[0],
    })
    const walked: string[] = []
    for (let after = range.after; ; after = walked.at(-1) ?? '') {
      const page = await driver.list({ ...range, after, limit: 4 })
      walked.push(...page.map(({ id }) => id))
      if (page.length < 4) break
    }
    expect(walked).toEqual(sorted)
    const rest = await driver.list({ after: sorted[2] ?? '', limit: 2 })
    expect(rest.map(({ id }) => id)).toEqual(sorted.slice(3, 5))
  })

  it('takes 70,000 entries in one replace and in one append', async () => {
    const id = newId()
    await driver.replace(id, session('r1', numbered(70_000)), null)
    await driver.append(
      id,
      { revision: 'r2', head: 'h', drop: 69_999, entries: numbered(70_000, 70_000) },
      { revision: 'r1' },
    )
    expect(await driver.read(id)).toEqual(session('r2', numbered(70_001, 69_999), 'h'))
    await driver.replace(id, session('r3', numbered(70_000)), { revision: 'r2' })
    expect(await driver.read(id, { skip: 69_998 })).toMatchObject({
      entries: ['{"n":69998}', '{"n":69999}'],
    })
    await driver.delete(id, { revision: 'r3' })
  }, 120_000)

  it('keeps an entry of 5 MB', async () => {
    const id = newId()
    const unit = 'long text, лонг, 長い, 👩‍👩‍👧‍👦, \\u0000 '
    const big = JSON.stringify(unit.repeat(Math.ceil(5_000_000 / Buffer.byteLength(unit))))
    await driver.replace(id, session('r1', [big]), null)
    await driver.append(
      id,
      { revision: 'r2', head: 'h', drop: 0, entries: [big, big] },
      { revision: 'r1' },
    )
    expect(await driver.read(id)).toEqual(session('r2', [big, big, big], 'h'))
    await driver.delete(id, { revision: 'r2' })
  }, 120_000)

  it('makes its tables once, however many set up at the same time', async () => {
    const options = { table: 'at_once' }
    const drivers = await Promise.all(
      Array.from({ length: 10 }, () => sqlDriver(engine.db, options)),
    )
    await drivers[0]?.replace('m0:a', session('r1', ['x']), null)
    expect(await drivers[9]?.read('m0:a')).toEqual(session('r1', ['x']))
    expect(await driver.read('m0:a')).toBeNull()
  })

  it('tells what kind of error it was, through the wrapping', async () => {
    const wrapped = (cause: object) => new Error('Failed query', { cause })
    const coded = (code: string, message = '') => Object.assign(new Error(message), { code })
    const codes =
      engine.name === 'SQLite'
        ? {
            SQLITE_BUSY: 'transient',
            SQLITE_BUSY_SNAPSHOT: 'refused',
            SQLITE_TOOBIG: 'too-large',
            SQLITE_CORRUPT_VTAB: 'corrupt',
            SQLITE_NOTADB: 'corrupt',
            SQLITE_FULL: 'refused',
            SQLITE_READONLY_DBMOVED: 'refused',
            SQLITE_ERROR: 'refused',
            SQLITE_IOERR: undefined,
          }
        : {
            '40001': 'transient',
            '08006': 'transient',
            '54000': 'too-large',
            XX001: 'corrupt',
            '53100': 'refused',
            '42P01': 'refused',
            '22P02': undefined,
          }
    for (const [code, kind] of Object.entries(codes)) {
      expect(driver.classify(coded(code)), code).toBe(kind)
      expect(driver.classify(wrapped(coded(code))), code).toBe(kind)
    }
    for (const strange of [undefined, null, 'text', {}, new Error('other')]) {
      expect(driver.classify(strange)).toBeUndefined()
    }
    const loop = new Error('round')
    loop.cause = loop
    expect(driver.classify(loop)).toBeUndefined()
  })

  it('says closed once the client is', async () => {
    const closing = engine.name === 'SQLite' ? sqliteEngine() : undefined
    if (!closing) {
      // PGlite takes seconds to start: its message alone is compared, with the one the client has.
      const { PGlite } = await import('@electric-sql/pglite')
      const client = new PGlite()
      await client.close()
      const error = await client.query('SELECT 1').catch((reason: unknown) => reason)
      expect(driver.classify(error)).toBe('closed')
      return
    }
    const lone = await sqlDriver(closing.db)
    await closing.close()
    const error = await lone.read('m0:a').catch((reason: unknown) => reason)
    expect(driver.classify(error)).toBe('closed')
  })
})
