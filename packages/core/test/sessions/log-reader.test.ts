import { describe, expect, it } from 'vitest'
import type { AgentSessionStore } from '../../src/index.ts'
import { InMemoryAgentSessionStore } from '../../src/sessions/in-memory-agent-session-store.ts'
import { SessionLogReader } from '../../src/sessions/session-log-reader.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { compaction, event, input, saved, say, sessionOf } from './support.ts'

const wrong = (value: unknown) => value as never
const events = [
  input(1, 'a'),
  event(2, 'STEP_START'),
  event(3, 'MEMORY_COMPRESS', { ...compaction, memory: { ...say('b'), summary: 's' } }),
  input(5, 'c'),
]
const session = sessionOf('one', events, { compact: compaction, memory: say('mine') })

/** A store over a driver that refuses every write once `close` was called. */
function readOnly(): { store: AgentSessionStore; close: () => void } {
  const driver = new MemoryDriver()
  const store = createStorage(driver).sessions()
  const close = () => {
    const refuse = () => Promise.reject(new Error('a write'))
    Object.assign(driver, { replace: refuse, append: refuse, delete: refuse })
  }
  return { store, close }
}

const STORES: Record<string, () => { store: AgentSessionStore; close: () => void }> = {
  InMemoryAgentSessionStore: () => ({ store: new InMemoryAgentSessionStore(), close: () => {} }),
  DurableSessionStore: readOnly,
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`SessionLogReader over ${name}`, () => {
    it('reads, searches and projects what is stored, and writes nothing', async () => {
      const { store, close } = open()
      const loaded = await saved(store, session)
      close()
      const reader = SessionLogReader.of(store)
      expect(await reader.listSessionIds()).toEqual(['one'])
      expect(await reader.read('one')).toEqual(loaded)
      expect(await reader.events('one')).toEqual(events)
      expect(await reader.search('one', 'USER_INPUT')).toEqual([events[0], events[3]])
      expect(await reader.search('one', wrong('NOTHING'))).toEqual([])
      expect(await reader.search('one', ({ sequence }) => sequence > 2)).toEqual(events.slice(2))
      // The fold, not the memory that was stored beside it.
      expect(await reader.project('one')).toEqual({ ...say('b', 'c'), summary: 's' })
      expect(await reader.project('one', { until: 2 })).toEqual(say('a'))
      expect(await reader.project('one', { until: 4 })).toEqual({ ...say('b'), summary: 's' })
      expect(await store.load('one')).toEqual(loaded)
    })

    it('answers copies', async () => {
      const { store } = open()
      const loaded = await saved(store, session)
      const reader = SessionLogReader.of(store)
      const list = await reader.events('one')
      Object.assign(list[0] ?? {}, { type: 'ERROR' })
      list.pop()
      expect(await reader.read('one')).toEqual(loaded)
    })

    it('copies a session: history, memory and result, independent both ways', async () => {
      const { store } = open()
      const source = await saved(store, session)
      const reader = SessionLogReader.of(store)
      const copy = await reader.fork('one', 'two')
      expect(copy).toEqual({ ...source, id: 'two', revision: copy.revision })
      expect(await store.load('two')).toEqual(copy)
      expect(await store.load('one')).toEqual(source)
      await store.save({ ...copy, events: [...copy.events, input(6, 'd')], memory: say('other') })
      expect(await store.load('one')).toEqual(source)
      await store.delete('one')
      expect((await store.load('two'))?.events).toHaveLength(5)
      expect(await reader.listSessionIds()).toEqual(['two'])
    })

    it('refuses to copy over a session, itself included', async () => {
      const { store } = open()
      const source = await saved(store, session)
      const other = await saved(store, sessionOf('two', []))
      const reader = SessionLogReader.of(store)
      for (const id of ['one', 'two']) {
        await expect(reader.fork('one', id)).rejects.toMatchObject({ code: 'CONFLICT' })
      }
      expect(await store.load('one')).toEqual(source)
      expect(await store.load('two')).toEqual(other)
    })

    it('does not know what is not stored', async () => {
      const reader = SessionLogReader.of(open().store)
      for (const ask of [
        reader.read('none'),
        reader.events('none'),
        reader.search('none', 'ERROR'),
        reader.project('none'),
        reader.fork('none', 'new'),
      ]) {
        await expect(ask).rejects.toMatchObject({ code: 'NOT_FOUND' })
      }
      expect(await reader.listSessionIds()).toEqual([])
      await expect(reader.read('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    })

    it('refuses what is no store, no id and nothing to search for', async () => {
      const { store } = open()
      await store.save(session)
      const INVALID = expect.objectContaining({ code: 'INVALID_ARGUMENT' })
      for (const value of [undefined, {}, { load() {} }, 'store']) {
        expect(() => SessionLogReader.of(wrong(value))).toThrow(INVALID)
      }
      const reader = SessionLogReader.of(store)
      await expect(reader.search('one', wrong(undefined))).rejects.toThrow(INVALID)
      await expect(reader.fork('one', ' ')).rejects.toThrow(INVALID)
      for (const options of [{ untl: 1 }, { until: 'x' }]) {
        await expect(reader.project('one', wrong(options))).rejects.toThrow(INVALID)
      }
    })
  })
}
