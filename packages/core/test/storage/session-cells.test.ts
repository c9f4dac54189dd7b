import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { aesGcm } from '../../src/encryption.ts'
import { HoldfastError } from '../../src/errors.ts'
import type { JsonObject } from '../../src/index.ts'
import { createAgent, scriptedModel } from '../../src/index.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { compaction, input, say, sessionOf } from '../sessions/support.ts'

const open = (driver = new MemoryDriver()) => createStorage(driver)
const metadata = (attributes: JsonObject) => ({ createdAt: 1, updatedAt: 2, attributes })

const harm = (text: string) => text.replace(/^./, '[SECRET,')
/** The record in parts is no JSON, each part is. */
const harmPart = (text: string) => text.replace(String.raw`{\"`, String.raw`{\"x\":SECRET,\"`)

/** Everything that a driver holds, as one text. */
async function dump(driver: MemoryDriver): Promise<string> {
  const rows = await driver.list({ limit: 1_000 })
  return JSON.stringify([rows, await Promise.all(rows.map(({ id }) => driver.read(id)))])
}

/** Puts `head` and `entries` in the place of what is stored as `id`. */
async function spoil(
  driver: MemoryDriver,
  id: string,
  change: (head: string, entries: readonly string[]) => [string, readonly string[]],
): Promise<void> {
  const stored = await driver.read(id)
  if (!stored || stored === 'unchanged') throw new Error(`nothing is stored as ${id}`)
  const [head, entries] = change(stored.head, stored.entries)
  await driver.replace(id, { revision: 'spoilt', head, entries }, stored)
}

describe('sessions and memories of one storage', () => {
  it('of one id are different cells', async () => {
    const storage = open()
    const [memory, store] = [storage.memory('a'), storage.sessions()]
    await memory.addUserInput('memory')
    await store.save(sessionOf('a', [input(1, 'session')]))
    expect((await store.load('a'))?.memory).toEqual(say('session'))
    expect(await memory.snapshot()).toEqual(say('memory'))
    expect((await storage.listMemories()).memories).toHaveLength(1)
    expect(await store.delete('a')).toBe(true)
    expect(await memory.snapshot()).toEqual(say('memory'))
    await store.save(sessionOf('a', []))
    expect(await storage.deleteMemory('a')).toBe(true)
    expect(await store.listSessionIds()).toEqual(['a'])
  })

  it('are isolated by scopes, lists included', async () => {
    const storage = open()
    const scopes = [
      storage,
      storage.scope('t'),
      storage.scope('t').scope('u'),
      storage.scope('t:u'),
      storage.scope('T'),
    ]
    for (const [n, scope] of scopes.entries()) {
      await scope.sessions().save(sessionOf('u:a', [input(1, `${n}`)]))
      await scope.sessions().save(sessionOf(`own${n}`, []))
    }
    for (const [n, scope] of scopes.entries()) {
      const store = scope.sessions()
      expect((await store.load('u:a'))?.memory).toEqual(say(`${n}`))
      expect(await store.listSessionIds()).toEqual([`own${n}`, 'u:a'])
      expect((await store.listSessions()).sessions).toHaveLength(2)
    }
  })

  it.each([
    ['an entry', (head: string, entries: readonly string[]) => [head, entries.map(harm)]],
    ['a part of one', (head: string, entries: readonly string[]) => [head, entries.map(harmPart)]],
    ['a head', (head: string, entries: readonly string[]) => [harm(head), entries]],
  ] as [string, Parameters<typeof spoil>[2]][])(
    'tell nothing of what is stored in %s that is no JSON',
    async (_, change) => {
      const driver = new MemoryDriver()
      await open(driver).memory('a').addUserInput('PASSW0RD'.repeat(50_000))
      await spoil(driver, 'm0:a', change)
      const error = await open(driver)
        .memory('a')
        .getItems()
        .catch((one: unknown) => one)
      expect(error).toMatchObject({ code: 'CORRUPT' })
      expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/PASSW|SECRET/)
    },
  )

  it('a deleted memory outlives its tombstone age while its session lives: no resume fills it again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const storage = open(new MemoryDriver())
      const agent = createAgent({
        modelClient: scriptedModel([{ text: 'one' }]),
        model: 'scripted',
        sessionStore: storage.sessions(),
        memorySupplier: (id) => storage.memory(id),
        autosave: 'sync',
      })
      await (await agent.newSession({ id: 'a' })).run('x')
      await storage.deleteMemory('a')
      vi.setSystemTime(Date.now() + 8 * 86_400_000)
      expect(await storage.purge()).toEqual({ removed: 0, kept: 1, swept: 0 })
      expect(await (await agent.resumeSession('a')).memory.getItems()).toEqual([])
      await storage.sessions().delete('a')
      vi.setSystemTime(Date.now() + 8 * 86_400_000)
      expect(await storage.purge()).toEqual({ removed: 2, kept: 0, swept: 0 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('are deleted and purged together, nested scopes too, and siblings stay', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const driver = new MemoryDriver()
      const storage = open(driver)
      const scopes = [storage.scope('t'), storage.scope('t').scope('u'), storage.scope('t2')]
      for (const scope of scopes) {
        await scope.memory('a').addUserInput('x')
        await scope.sessions().save(sessionOf('a', [input(1, 'a')]))
        await scope.sessions().save(sessionOf('b', []))
      }
      expect(await storage.scope('t').deleteAll()).toBe(6)
      expect(await scopes[0]?.sessions().listSessionIds()).toEqual([])
      expect(await scopes[1]?.sessions().load('a')).toBeUndefined()
      expect(await scopes[2]?.sessions().listSessionIds()).toEqual(['a', 'b'])
      expect(await storage.scope('t').deleteAll()).toBe(0)
      expect(await storage.purge()).toEqual({ removed: 0, kept: 6, swept: 0 })
      vi.setSystemTime(Date.now() + 8 * 86_400_000)
      expect(await storage.purge()).toEqual({ removed: 6, kept: 0, swept: 0 })
      expect(await driver.list({ limit: 100 })).toHaveLength(3)
    } finally {
      vi.useRealTimers()
    }
  })

  it('leave no content behind when they are deleted', async () => {
    const driver = new MemoryDriver()
    const store = open(driver).sessions()
    await store.save(sessionOf('a', [input(1, 'secret')], { metadata: metadata({ of: 'secret' }) }))
    expect(await dump(driver)).toContain('secret')
    await store.delete('a')
    expect(await dump(driver)).not.toContain('secret')
  })

  it('are closed together', async () => {
    const storage = open()
    const store = storage.sessions()
    await storage.close()
    const CLOSED = { code: 'CLOSED' }
    await expect(store.save(sessionOf('a', []))).rejects.toMatchObject(CLOSED)
    await expect(store.load('a')).rejects.toMatchObject(CLOSED)
    await expect(store.delete('a')).rejects.toMatchObject(CLOSED)
    await expect(store.listSessionIds()).rejects.toMatchObject(CLOSED)
    await expect(store.listSessions()).rejects.toMatchObject(CLOSED)
  })

  it('writes nothing to load, list or refuse', async () => {
    const driver = new MemoryDriver()
    const store = open(driver).sessions()
    expect(await store.load('a')).toBeUndefined()
    expect(await store.delete('a')).toBe(false)
    expect(await store.listSessions()).toEqual({ sessions: [] })
    expect(await driver.list({ limit: 10 })).toEqual([])
  })
})

describe('the head', () => {
  it('holds attributes of exactly 10 KiB, beside 64 writers with long numbers', async () => {
    const driver = new MemoryDriver()
    const attributes = { a: `${'x'.repeat(10 * 1024 - 10)}ü` }
    expect(Buffer.byteLength(JSON.stringify(attributes))).toBe(10 * 1024)
    let revision: string | undefined
    for (let n = 0; n < 66; n++) {
      const snapshot = sessionOf('a', [], { metadata: metadata(attributes) })
      const next = revision === undefined ? snapshot : { ...snapshot, revision }
      revision = (await open(driver).sessions().save(next)).revision
    }
    const [row] = await driver.list({ limit: 1 })
    const { w } = JSON.parse(row?.head ?? '')
    expect(w).toHaveLength(128)
    // Names of 14 characters and numbers of 10 digits instead.
    const worst = Buffer.byteLength(row?.head ?? '') + 64 * (14 + 10 - 1) - 64
    expect(worst).toBeLessThan(16 * 1024)
    expect((await open(driver).sessions().load('a'))?.metadata.attributes).toEqual(attributes)
  })
})

describe('with encryption', () => {
  const encryption = aesGcm(new Uint8Array(32).fill(1))
  const secret = sessionOf('a', [input(1, 'secret')], {
    metadata: metadata({ name: 'secret' }),
    memory: { ...say('secret'), summary: 'secret' },
    compact: { ...compaction, files: ['secret'] },
  })

  it('nothing is stored in the clear, and lists show what they show without', async () => {
    const driver = new MemoryDriver()
    const store = createStorage(driver, { encryption }).sessions()
    const { revision } = await store.save(secret)
    await store.save({ ...secret, revision })
    expect(await dump(driver)).not.toContain('secret')
    expect(await store.load('a')).toMatchObject(secret)
    expect((await store.listSessions()).sessions).toEqual([{ id: 'a', metadata: secret.metadata }])
  })

  it('what another key wrote, or nobody encrypted, is CORRUPT, and hides nothing beside it', async () => {
    const driver = new MemoryDriver()
    const other = createStorage(driver, { encryption: aesGcm(new Uint8Array(32).fill(2)) })
    const store = createStorage(driver, { encryption }).sessions()
    await other.sessions().save(secret)
    await open(driver)
      .sessions()
      .save({ ...secret, id: 'b' })
    await store.save({ ...secret, id: 'c' })
    for (const id of ['a', 'b']) {
      await expect(store.load(id)).rejects.toMatchObject({ code: 'CORRUPT' })
      await expect(store.save({ ...secret, id })).rejects.toMatchObject({
        code: 'CORRUPT',
        outcome: 'not-committed',
      })
    }
    await expect(open(driver).sessions().load('c')).rejects.toMatchObject({ code: 'CORRUPT' })
    const { metadata } = secret
    expect((await store.listSessions()).sessions).toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'c', metadata },
    ])
    expect(await store.delete('a')).toBe(true)
    expect(await store.listSessionIds()).toEqual(['b', 'c'])
  })

  it('a ciphertext of an entry does not pass for the metadata, nor one of another session', async () => {
    const driver = new MemoryDriver()
    const store = createStorage(driver, { encryption }).sessions()
    await store.save(secret)
    await spoil(driver, 's0:a', (head, entries) => [
      JSON.stringify({ ...JSON.parse(head), m: JSON.parse(entries[0] ?? '') }),
      entries,
    ])
    await expect(store.load('a')).rejects.toMatchObject({ code: 'CORRUPT' })
    expect((await store.listSessions()).sessions).toEqual([{ id: 'a' }])
  })

  it('a key service that is down fails the call, and corrupts nothing', async () => {
    let down = false
    const driver = new MemoryDriver()
    const serve = <T>(answer: T) => {
      if (down) throw new Error('down')
      return answer
    }
    const store = createStorage(driver, {
      encryption: { encrypt: (text) => serve(text), decrypt: (text) => serve(text) },
    }).sessions()
    const { revision } = await store.save(secret)
    down = true
    const FAILED = { code: 'STORAGE_FAILED' }
    await expect(store.listSessions()).rejects.toMatchObject(FAILED)
    await expect(store.save({ ...secret, revision })).rejects.toMatchObject({
      ...FAILED,
      outcome: 'not-committed',
    })
    down = false
    expect((await store.load('a'))?.revision).toBe(revision)
  })

  it('attributes that do not fit into a head are TOO_LARGE, and nothing is written', async () => {
    const driver = new MemoryDriver()
    const store = createStorage(driver, { encryption }).sessions()
    const large = metadata({ a: 'x'.repeat(11_000) })
    await expect(store.save(sessionOf('a', [], { metadata: large }))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      outcome: 'not-committed',
    })
    expect(await driver.list({ limit: 1 })).toEqual([])
  })
})

describe('what cannot be read', () => {
  const cases: [
    string,
    (head: string, entries: readonly string[]) => [string, readonly string[]],
  ][] = [
    ['a head that is no JSON', (_, entries) => ['{', entries]],
    [
      'metadata that are missing',
      (head, entries) => [JSON.stringify({ ...JSON.parse(head), m: undefined }), entries],
    ],
    [
      'metadata that are none',
      (head, entries) => [JSON.stringify({ ...JSON.parse(head), m: [1, 'x', {}] }), entries],
    ],
    [
      'metadata that are a number',
      (head, entries) => [JSON.stringify({ ...JSON.parse(head), m: 5 }), entries],
    ],
    ['an entry that is cut', (head, [first = '', ...rest]) => [head, [first.slice(1), ...rest]]],
    ['events out of order', (head, [first = '', second = '']) => [head, [second, first]]],
    ['an object that is no event', (head, [first = '']) => [head, [first, '{"type":"x"}']]],
  ]
  for (const [name, change] of cases) {
    it(`(${name}) is CORRUPT, is listed, and can be deleted; its neighbour stays readable`, async () => {
      const driver = new MemoryDriver()
      for (const id of ['a', 'b']) {
        await open(driver)
          .sessions()
          .save(sessionOf(id, [input(1, 'a'), input(2, 'b')]))
      }
      await spoil(driver, 's0:a', change)
      const store = open(driver).sessions()
      const error = await store.load('a').catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(HoldfastError)
      expect(error).toMatchObject({ code: 'CORRUPT' })
      expect(String(error)).toContain('a"')
      expect((await store.load('b'))?.events).toHaveLength(2)
      expect(await store.listSessionIds()).toEqual(['a', 'b'])
      expect((await store.listSessions()).sessions.map(({ id }) => id)).toEqual(['a', 'b'])
      expect(await store.delete('a')).toBe(true)
      expect(await store.load('a')).toBeUndefined()
    })
  }

  const long = input(1, 'x'.repeat(600_000))
  const text = JSON.stringify
  const named: [string, (entries: readonly string[]) => readonly string[], number][] = [
    ['an event that is there twice', (all) => [...all, all[3] ?? ''], 5],
    [
      'the second of two equal events',
      (all) => [...all, text(input(3, 'c')), text(input(3, 'c'))],
      6,
    ],
    ['a memory with items that are none', (all) => [...all, '["memory",0,[1,2],0,null]'], 5],
    ['a memory without a list of items', (all) => [...all, '["memory",0,"x",0,null]'], 5],
    ['a memory from a place that is none', (all) => [...all, '["memory","0",[],0,null]'], 5],
    ['a memory with half an end', (all) => [...all, '["memory",0,[],0.5,null]'], 5],
    ['a memory with a number as summary', (all) => [...all, '["memory",0,[],0,5]'], 5],
    ['a compaction that is none', (all) => [...all, '["compact",5]'], 5],
    ['a compaction that is a list', (all) => [...all, '["compact",[]]'], 5],
  ]
  for (const [name, change, at] of named) {
    it(`(${name}) is CORRUPT at once, behind a long record too, and named as every entry is`, async () => {
      const driver = new MemoryDriver()
      // Three entries for the first event, one for the second, one for the memory.
      await open(driver)
        .sessions()
        .save(sessionOf('a', [long, input(2, 'b')], { memory: say('other') }))
      await spoil(driver, 's0:a', (head, entries) => {
        expect(entries).toHaveLength(5)
        const next = change(entries)
        return [text({ ...JSON.parse(head), e: next.length }), next]
      })
      const store = open(driver).sessions()
      await expect(store.load('a')).rejects.toMatchObject({
        code: 'CORRUPT',
        message: expect.stringContaining(`Entry ${at} of "s0:a" cannot be read`),
      })
      expect(await store.delete('a')).toBe(true)
    })
  }

  it('metadata are named by the id of the cell, as its entries are', async () => {
    const driver = new MemoryDriver()
    await open(driver).sessions().save(sessionOf('a', []))
    await spoil(driver, 's0:a', (head) => [text({ ...JSON.parse(head), m: 5 }), []])
    await expect(open(driver).sessions().load('a')).rejects.toThrow('The head of "s0:a"')
  })

  it('records of kinds that are not known change nothing', async () => {
    const driver = new MemoryDriver()
    await open(driver)
      .sessions()
      .save(sessionOf('a', [input(1, 'a')]))
    await spoil(driver, 's0:a', (head, entries) => [
      text({ ...JSON.parse(head), e: 3 }),
      [...entries, '["later",5]', '["toString",5]'],
    ])
    expect((await open(driver).sessions().load('a'))?.memory).toEqual(say('a'))
  })

  it('a newer format is UNSUPPORTED', async () => {
    const driver = new MemoryDriver()
    await open(driver).sessions().save(sessionOf('a', []))
    await spoil(driver, 's0:a', (head, entries) => [head.replace('"v":1', '"v":2'), entries])
    await expect(open(driver).sessions().load('a')).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect((await open(driver).sessions().listSessions()).sessions).toEqual([{ id: 'a' }])
  })
})
