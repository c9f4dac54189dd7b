import { describe, expect, it } from 'vitest'
import { userMessage } from '../../src/contracts/item.ts'
import { aesGcm } from '../../src/encryption.ts'
import type { AgentSessionSnapshot, AgentSessionStore, JsonObject } from '../../src/index.ts'
import { InMemoryAgentSessionStore } from '../../src/sessions/in-memory-agent-session-store.ts'
import { SessionEventProjector } from '../../src/sessions/session-event-projector.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { compaction, event, input, saved, say, sessionOf, trimmed } from './support.ts'

const refused = (code: string) => expect.objectContaining({ code, outcome: 'not-committed' })
const CONFLICT = refused('CONFLICT')
const INVALID = refused('INVALID_ARGUMENT')
const wrong = (value: unknown) => value as never
const withMetadata = (metadata: unknown) =>
  sessionOf('a', [], { metadata: metadata as AgentSessionSnapshot['metadata'] })

/** A driver without its optional methods. */
function bareDriver() {
  const driver = new MemoryDriver()
  return {
    read: driver.read.bind(driver),
    replace: driver.replace.bind(driver),
    list: driver.list.bind(driver),
  }
}

const encryption = aesGcm(new Uint8Array(32).fill(7))

const STORES: Record<string, () => AgentSessionStore> = {
  InMemoryAgentSessionStore: () => new InMemoryAgentSessionStore(),
  DurableSessionStore: () => createStorage(new MemoryDriver()).sessions(),
  'DurableSessionStore in a scope': () => {
    return createStorage(new MemoryDriver()).scope('tenant-7').sessions()
  },
  'DurableSessionStore without append': () => createStorage(bareDriver()).sessions(),
  'DurableSessionStore with encryption': () => {
    return createStorage(new MemoryDriver(), { encryption }).sessions()
  },
  'DurableSessionStore, another storage for each call': () => {
    const driver = new MemoryDriver()
    const store = () => createStorage(driver).sessions()
    return {
      save: (snapshot) => store().save(snapshot),
      load: (id) => store().load(id),
      delete: (id) => store().delete(id),
      listSessionIds: () => store().listSessionIds(),
      listSessions: (query) => store().listSessions(query),
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(name, () => {
    it('gives back what it was given, to the last field', async () => {
      const store = open()
      const attributes = {
        title: 'Ünï\u0000\ud800',
        count: -1.5e-7,
        none: null,
        when: '2026-01-01T00:00:00.000Z',
        list: [1, { a: [] }],
      }
      const events = [
        { ...input(1, 'a'), runId: 'r', step: 0 },
        event(2, 'MEMORY_COMPRESS', { ...compaction, memory: { ...say('b'), summary: 's' } }),
        event(7, 'UNKNOWN_TYPE', { deep: [{ er: '\u2028' }] }),
      ]
      const snapshot = sessionOf('a', events, {
        metadata: { createdAt: 1.5, updatedAt: 1_700_000_000_001, attributes },
        compact: compaction,
      })
      const { revision } = await store.save(snapshot)
      expect(await store.load('a')).toEqual({ ...snapshot, revision })
    })

    it('keeps a memory that is not the fold of the events, and a result that no event tells', async () => {
      const store = open()
      const events = [input(1, 'a', 'b', 'c'), input(2, 'd')]
      for (const [index, memory] of [
        say('a', 'b', 'c', 'd'),
        say('d'),
        { ...say('d'), summary: '' },
        { ...say(), summary: 's' },
        say(),
        say('x', 'y'),
        say('a', 'x', 'c', 'd'),
        say('a', 'b', 'c', 'd', 'e'),
        say('d', 'd', 'd', 'd', 'd', 'd'),
      ].entries()) {
        const id = `a${index}`
        const snapshot = sessionOf(id, events, { memory, compact: compaction })
        const loaded = await saved(store, snapshot)
        expect(loaded).toEqual({ ...snapshot, revision: loaded.revision })
      }
    })

    it('creates once: without a revision an existing session is a conflict, and stays', async () => {
      const store = open()
      const first = await saved(store, sessionOf('a', [input(1, 'a')]))
      await expect(store.save(sessionOf('a', [input(1, 'a')]))).rejects.toThrow(CONFLICT)
      await expect(store.save(sessionOf('a', []))).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toEqual(first)
    })

    it('takes the next state of the current revision alone, each with a revision of its own', async () => {
      const store = open()
      const first = await saved(store, sessionOf('a', [input(1, 'a')]))
      const second = await saved(
        store,
        sessionOf('a', [...first.events, input(2, 'b')], { revision: first.revision }),
      )
      expect(second.revision).not.toBe(first.revision)
      expect(second.events).toHaveLength(2)
      await expect(store.save({ ...second, revision: first.revision })).rejects.toThrow(CONFLICT)
      await expect(store.save({ ...second, revision: 'made up' })).rejects.toThrow(CONFLICT)
      await expect(store.save({ ...second, revision: '' })).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toEqual(second)
      // Nothing is new, and it is a state of its own all the same: of two who save it, one is late.
      const third = await store.save(second)
      expect(third.revision).not.toBe(second.revision)
      await expect(store.save(second)).rejects.toThrow(CONFLICT)
    })

    it('refuses a revision where nothing is stored, or was deleted since', async () => {
      const store = open()
      await expect(store.save(sessionOf('a', [], { revision: 'r.1' }))).rejects.toThrow(CONFLICT)
      const first = await saved(store, sessionOf('a', [input(1, 'a')]))
      expect(await store.delete('a')).toBe(true)
      await expect(store.save(first)).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toBeUndefined()
      const anew = await saved(store, sessionOf('a', [input(1, 'new')]))
      await expect(store.save(first)).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toEqual(anew)
      expect(anew.memory).toEqual(say('new'))
    })

    it('refuses a snapshot of another store', async () => {
      const first = await saved(open(), sessionOf('a', [input(1, 'a')]))
      const store = open()
      await store.save(sessionOf('a', [input(1, 'a')]))
      await expect(store.save(first)).rejects.toThrow(CONFLICT)
    })

    it('refuses a history that is not a continuation of the stored one', async () => {
      const store = open()
      const events = [input(1, 'a'), input(2, 'b'), input(4, 'c')]
      const first = await saved(store, sessionOf('a', events))
      const other = (...next: unknown[]) =>
        store.save({ ...first, events: next as AgentSessionSnapshot['events'] })
      const [a, b, c] = events as [object, object, object]
      await expect(other()).rejects.toThrow(CONFLICT)
      await expect(other(a, b)).rejects.toThrow(CONFLICT)
      await expect(other(b, c)).rejects.toThrow(CONFLICT)
      await expect(other(a, c)).rejects.toThrow(CONFLICT)
      await expect(other(a, b, { ...c, at: 5 })).rejects.toThrow(CONFLICT)
      await expect(other({ ...a, payload: say('x') }, b, c)).rejects.toThrow(CONFLICT)
      await expect(other(a, b, input(3, 'between'), c)).rejects.toThrow(CONFLICT)
      await expect(other(a, b, { ...c, runId: 'r' })).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toEqual(first)
      // Texts count, not objects.
      await other(...(structuredClone(events) as unknown[]), input(5, 'd'))
    })

    it('sees that an event was changed in place since it was saved, frozen on its surface or not', async () => {
      const store = open()
      const list = [userMessage('a')]
      const events = [Object.freeze(event(1, 'USER_INPUT', { items: list })), { ...input(2, 'b') }]
      let current = await saved(store, sessionOf('a', events))
      const save = (next = events) => store.save({ ...current, events: next })
      current = { ...current, ...(await save()) }
      list.push(userMessage('c'))
      await expect(save()).rejects.toThrow(CONFLICT)
      list.pop()
      current = { ...current, ...(await save()) }
      Object.assign(events[1] ?? {}, { at: 5 })
      await expect(save()).rejects.toThrow(CONFLICT)
      await save([event(1, 'USER_INPUT', { items: list }), input(2, 'b')])
    })

    it('takes a history whose front was trimmed to a baseline, once and again', async () => {
      const store = open()
      const events = [1, 2, 3, 4, 5].map((sequence) => input(sequence, `${sequence}`))
      let current = await saved(store, sessionOf('a', events, { compact: compaction }))
      for (const before of [3, 4, 6]) {
        const next = trimmed(current, before)
        current = await saved(store, next)
        expect(current).toEqual({ ...next, revision: current.revision })
        expect(SessionEventProjector.deriveSnapshot(current.events)).toEqual(current.memory)
      }
      expect(current.events).toHaveLength(1)
      const more = trimmed({ ...current, events: [...current.events, input(6, '6')] }, 6)
      current = await saved(store, { ...more, memory: say('1', '2', '3', '4', '5', '6') })
      // Also where some of what was trimmed, or all of it, was never stored.
      const unstored = { ...current, events: [...current.events, input(7, '7'), input(8, '8')] }
      current = await saved(store, trimmed(unstored, 8))
      expect(current.events.map(({ sequence }) => sequence)).toEqual([7, 8])
      expect(current.compact).toEqual(compaction)
    })

    it('refuses a baseline that tells another memory, stands elsewhere, or is none', async () => {
      const store = open()
      const events = [
        event(1, 'MEMORY_COMPRESS', { memory: { ...say('a'), summary: 's' } }),
        input(3, 'b'),
        input(5, 'c'),
      ]
      const first = await saved(store, sessionOf('a', events))
      const ok = trimmed(first, 5)
      const [baseline, ...rest] = ok.events
      const other = (change: object, events: readonly unknown[] = rest) =>
        store.save({ ...first, events: [{ ...baseline, ...change }, ...events] as never })
      const payload = baseline?.payload as JsonObject
      const { summary: _, ...noSummary } = payload
      await expect(other({ payload: { ...payload, ...say('x') } })).rejects.toThrow(CONFLICT)
      await expect(other({ payload: noSummary })).rejects.toThrow(CONFLICT)
      await expect(other({ payload: { ...payload, reason: 'undo' } })).rejects.toThrow(CONFLICT)
      await expect(other({ payload: { reason: 'trim' } })).rejects.toThrow(CONFLICT)
      await expect(other({ type: 'USER_INPUT' })).rejects.toThrow(CONFLICT)
      await expect(other({ sequence: 2 })).rejects.toThrow(CONFLICT)
      await expect(other({ sequence: 4 })).rejects.toThrow(CONFLICT)
      await expect(other({ sequence: 1 }, [input(3, 'x'), ...rest])).rejects.toThrow(CONFLICT)
      await expect(other({}, [])).rejects.toThrow(CONFLICT)
      await expect(other({}, [input(6, 'd')])).rejects.toThrow(CONFLICT)
      await expect(other({}, [{ ...rest[0], at: 1 }])).rejects.toThrow(CONFLICT)
      expect(await store.load('a')).toEqual(first)
      await other({})
    })

    it('is detached both ways', async () => {
      const store = open()
      const snapshot = structuredClone(
        sessionOf('a', [input(1, 'a')], {
          metadata: { createdAt: 1, updatedAt: 2, attributes: { list: [1] } },
          memory: say('other'),
          compact: compaction,
        }),
      )
      const expected = structuredClone(snapshot)
      const saving = store.save(snapshot)
      const spoil = (value: AgentSessionSnapshot) => {
        const any = value as unknown as Record<string, never[]> & {
          metadata: { attributes: { list: number[] } }
          memory: { items: unknown[] }
          compact: { completed: string[] }
          events: { payload: { items: unknown[] } }[]
        }
        any.metadata.attributes.list.push(2)
        any.memory.items.push(userMessage('no'))
        any.compact.completed.push('no')
        any.events[0]?.payload.items.push(userMessage('no'))
        any.events.push(input(9, 'no') as never)
      }
      // Before the save has ended.
      spoil(snapshot)
      const { revision } = await saving
      const first = await store.load('a')
      expect(first).toEqual({ ...expected, revision })
      if (first) spoil(first)
      expect(await store.load('a')).toEqual({ ...expected, revision })
    })

    it('writes nothing of what it refuses', async () => {
      const store = open()
      const cases: [string, unknown][] = [
        ['INVALID_ARGUMENT', undefined],
        ['INVALID_ARGUMENT', 'a'],
        ['INVALID_ARGUMENT', {}],
        ['INVALID_ARGUMENT', sessionOf('', [])],
        ['INVALID_ARGUMENT', sessionOf(' ', [])],
        ['INVALID_ARGUMENT', sessionOf('a\u0000', [])],
        ['INVALID_ARGUMENT', sessionOf('\ud800', [])],
        ['INVALID_ARGUMENT', sessionOf('x'.repeat(256), [])],
        ['INVALID_ARGUMENT', sessionOf(wrong(5), [])],
        ['INVALID_ARGUMENT', withMetadata(undefined)],
        ['INVALID_ARGUMENT', withMetadata({ createdAt: 'now', updatedAt: 2, attributes: {} })],
        ['INVALID_ARGUMENT', withMetadata({ createdAt: 1, updatedAt: new Date(), attributes: {} })],
        ['INVALID_ARGUMENT', withMetadata({ createdAt: Number.NaN, updatedAt: 2, attributes: {} })],
        ['INVALID_ARGUMENT', withMetadata({ createdAt: 1, updatedAt: 2 })],
        ['INVALID_ARGUMENT', withMetadata({ createdAt: 1, updatedAt: 2, attributes: [] })],
        ['INVALID_ARGUMENT', sessionOf('a', [], { memory: wrong(undefined) })],
        ['INVALID_ARGUMENT', sessionOf('a', [], { memory: wrong({ items: 5 }) })],
        ['INVALID_ARGUMENT', sessionOf('a', [], { memory: wrong({ items: ['text'] }) })],
        ['INVALID_ARGUMENT', sessionOf('a', [], { memory: wrong({ items: [], summary: 5 }) })],
        ['INVALID_ARGUMENT', { ...sessionOf('a', []), events: undefined }],
        ['INVALID_ARGUMENT', sessionOf('a', [], { events: wrong([null]) })],
        ['INVALID_ARGUMENT', sessionOf('a', [input(0, 'a')])],
        ['INVALID_ARGUMENT', sessionOf('a', [input(1.5, 'a')])],
        ['INVALID_ARGUMENT', sessionOf('a', [input(2, 'a'), input(2, 'b')])],
        ['INVALID_ARGUMENT', sessionOf('a', [input(2, 'a'), input(1, 'b')])],
        ['INVALID_ARGUMENT', sessionOf('a', [event(1, wrong(5))])],
        ['INVALID_ARGUMENT', sessionOf('a', [{ ...input(1, 'a'), at: wrong('now') }])],
        ['INVALID_ARGUMENT', sessionOf('a', [{ ...input(1, 'a'), payload: wrong([]) }])],
        ['INVALID_ARGUMENT', sessionOf('a', [], { compact: wrong('c') })],
        ['INVALID_ARGUMENT', sessionOf('a', [], { revision: wrong(5) })],
        ['NOT_SERIALIZABLE', withMetadata({ createdAt: 1, updatedAt: 2, attributes: new Date() })],
        ['NOT_SERIALIZABLE', withMetadata({ createdAt: 1, updatedAt: 2, attributes: { a: 1n } })],
        ['NOT_SERIALIZABLE', sessionOf('a', [event(1, 'ERROR', { at: new Date() })])],
        ['NOT_SERIALIZABLE', sessionOf('a', [], { memory: wrong({ items: [{ a: () => {} }] }) })],
        ['NOT_SERIALIZABLE', sessionOf('a', [], { compact: wrong({ a: Number.NaN }) })],
        ['TOO_LARGE', withMetadata({ createdAt: 1, updatedAt: 2, attributes: big(10 * 1024 + 1) })],
        [
          'TOO_LARGE',
          withMetadata({ createdAt: 1, updatedAt: 2, attributes: { a: 'ü'.repeat(7_000) } }),
        ],
      ]
      for (const [index, [code, snapshot]] of cases.entries()) {
        await expect(store.save(wrong(snapshot)), `case ${index}`).rejects.toThrow(refused(code))
      }
      expect(await store.listSessionIds()).toEqual([])
      for (const id of ['', 'a\u0000', wrong(5)]) {
        await expect(store.load(id)).rejects.toThrow(INVALID)
        await expect(store.delete(id)).rejects.toThrow(INVALID)
      }
    })

    it('stores an item as deep as a memory takes it, inside an event', async () => {
      const store = open()
      let deep: unknown = 1
      for (let level = 0; level < 999; level++) deep = [deep]
      const items = [{ deep }]
      const snapshot = sessionOf('a', [event(1, 'USER_INPUT', { items })])
      expect((await saved(store, snapshot)).memory.items).toEqual(items)
    })

    it('stores attributes of 10 KiB, and values of 1 MB in an event and in a memory', async () => {
      const store = open()
      const long = '\ud83d\ude00 "'.repeat(250_000)
      const snapshot = sessionOf('a', [input(1, long), input(2, 'b')], {
        metadata: { createdAt: 1, updatedAt: 2, attributes: big(10 * 1024) },
        memory: say(`${long}!`),
      })
      const loaded = await saved(store, snapshot)
      expect(loaded).toEqual({ ...snapshot, revision: loaded.revision })
      expect((await store.listSessions()).sessions).toEqual([
        { id: 'a', metadata: snapshot.metadata },
      ])
    })

    it('tells ids apart that look alike, and takes them as they are', async () => {
      const store = open()
      for (const id of HOSTILE) await store.save(sessionOf(id, [input(1, id)]))
      for (const id of HOSTILE) expect((await store.load(id))?.memory, id).toEqual(say(id))
      const bytes = (id: string) => Buffer.from(id, 'utf8')
      const ascending = [...HOSTILE].sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
      expect(await store.listSessionIds()).toEqual(ascending)
      const { sessions } = await store.listSessions({ limit: 1_000 })
      expect(sessions.map(({ id }) => id)).toEqual(ascending)
      for (const [index, id] of HOSTILE.entries()) {
        expect(await store.delete(id)).toBe(true)
        expect(await store.delete(id)).toBe(false)
        expect(await store.load(id)).toBeUndefined()
        expect(await store.listSessionIds()).toHaveLength(HOSTILE.length - 1 - index)
      }
    })

    it('lists pages with metadata, each id once', async () => {
      const store = open()
      const metadata = { createdAt: 3, updatedAt: 4, attributes: { user: 'ü' } }
      for (let n = 10; n < 35; n++) {
        await store.save(sessionOf(`s${n}`, [input(1, 'a')], { metadata }))
      }
      await store.delete('s20')
      const seen: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await store.listSessions({ after, limit: 5 })
        expect(page.sessions.every((one) => one.metadata?.attributes['user'] === 'ü')).toBe(true)
        seen.push(...page.sessions.map(({ id }) => id))
        after = page.next
        if (after === undefined) break
        expect(page.sessions).toHaveLength(5)
      }
      expect(seen).toEqual(await store.listSessionIds())
      expect(seen).toHaveLength(24)
      expect((await store.listSessions({ after: 's34' })).sessions).toEqual([])
      expect(await store.listSessions({ after: 's33' })).toEqual({
        sessions: [{ id: 's34', metadata }],
      })
      for (const limit of [0, -1, 1.5, 1_001, Number.NaN, wrong('5')]) {
        await expect(store.listSessions({ limit })).rejects.toThrow(INVALID)
      }
      await expect(store.listSessions({ after: '' })).rejects.toThrow(INVALID)
      await expect(store.listSessions(wrong({ limits: 5 }))).rejects.toThrow(INVALID)
    })

    it('has one winner of racing saves', async () => {
      const store = open()
      const first = await saved(store, sessionOf('a', [input(1, 'a')]))
      const answers = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) =>
          store.save({ ...first, events: [...first.events, input(2, `w${n}`)] }),
        ),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const winner = answers.findIndex(({ status }) => status === 'fulfilled')
      expect((await store.load('a'))?.events[1]).toEqual(input(2, `w${winner}`))
      for (const answer of answers) {
        if (answer.status === 'rejected') expect(answer.reason).toEqual(CONFLICT)
      }
    })
  })
}

/** Attributes of that many bytes of JSON. */
const big = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })

const HOSTILE = [
  'a',
  'A',
  'ä',
  'a\u0308',
  'a ',
  ' a',
  '1',
  '01',
  '10',
  'a:b',
  'a:b:c',
  '~0',
  '~1',
  '*',
  '%',
  '_',
  '..',
  '../a',
  'a/b',
  'a\\b',
  '{x}',
  "'; drop table",
  '"',
  '$gt',
  '__proto__',
  'constructor',
  '\u{1F600}',
  '\uFFFD',
  'x'.repeat(255),
]
