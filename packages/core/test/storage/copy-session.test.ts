import { describe, expect, it } from 'vitest'
import { aesGcm } from '../../src/encryption.ts'
import {
  copySession,
  createAgent,
  createStorage,
  MemoryDriver,
  type StorageScope,
  scriptedModel,
  WindowedMemoryCompressor,
} from '../../src/index.ts'

const agentOn = (storage: StorageScope, texts: string[]) =>
  createAgent({
    modelClient: scriptedModel(texts.map((text) => ({ text }))),
    model: 'scripted',
    sessionStore: storage.sessions(),
    memorySupplier: (id) => storage.memory(id),
    autosave: 'sync',
  })

const fresh = () => createStorage(new MemoryDriver())

/** A storage with one session of two turns. */
async function lived(storage: StorageScope = fresh()) {
  const session = await agentOn(storage, ['one', 'two']).newSession({
    id: 'chat',
    attributes: { title: 'Trip' },
  })
  await session.run('first')
  await session.run('second')
  await session.save()
  return storage
}

const withoutRevision = async (storage: StorageScope) => {
  const { revision, ...record } = (await storage.sessions().load('chat')) ?? {}
  return record
}

describe('copySession', () => {
  it('copies events, metadata, memory; the session goes on there and the source stays', async () => {
    const from = await lived()
    const to = fresh()
    expect(await copySession(from, to, 'chat')).toEqual({ memory: true, session: true })
    expect(await withoutRevision(to)).toEqual(await withoutRevision(from))
    expect(await to.memory('chat').snapshot()).toEqual(await from.memory('chat').snapshot())
    const before = await withoutRevision(from)

    const session = await agentOn(to, ['three']).resumeSession('chat')
    // Nothing had to be put right: the log tells the memory, to the letter.
    expect(session.eventLog.events.at(-1)).toMatchObject({
      type: 'SESSION_RESTORED',
      payload: { unchanged: true },
    })
    expect((await session.run('third')).text).toBe('three')
    expect(await withoutRevision(from)).toEqual(before)
    expect((await to.memory('chat').getItems()).length).toBe(6)
  })

  it.each([
    ['into a storage with encryption', () => [fresh(), secret()] as const],
    ['out of one', () => [secret(), fresh()] as const],
    [
      'into a scope of the same storage',
      () => {
        const one = fresh()
        return [one, one.scope('b')] as const
      },
    ],
  ])('%s', async (_, storages) => {
    const [from, to] = storages()
    await lived(from)
    await copySession(from, to, 'chat')
    expect(await withoutRevision(to)).toEqual(await withoutRevision(from))
    expect(await to.memory('chat').snapshot()).toEqual(await from.memory('chat').snapshot())
  })

  it('copies a summary, a window, and an item over 1 MiB', async () => {
    const from = fresh()
    const memory = from.memory('chat', { compressor: new WindowedMemoryCompressor(2) })
    await memory.setSummary('before')
    await memory.addUserInput('x'.repeat(3_000_000))
    await memory.addUserInput('last')
    const to = fresh()
    expect(await copySession(from, to, 'chat')).toEqual({ memory: true, session: false })
    expect(await to.memory('chat').snapshot()).toEqual(await memory.snapshot())
  })

  it('a cleared memory arrives as one that was cleared, not as one that never was', async () => {
    const from = await lived()
    await from.memory('chat').clear()
    const to = fresh()
    await copySession(from, to, 'chat')
    const session = await agentOn(to, ['new']).resumeSession('chat')
    expect(await session.memory.getItems()).toEqual([])
  })

  it('a deleted memory arrives as one that was deleted, and stays deleted', async () => {
    const from = await lived()
    await from.deleteMemory('chat')
    const to = fresh()
    expect(await copySession(from, to, 'chat')).toEqual({ memory: false, session: true })
    // Once more finds all of it there.
    await copySession(from, to, 'chat')
    for (const storage of [from, to]) {
      const session = await agentOn(storage, ['new']).resumeSession('chat')
      expect(await session.memory.getItems()).toEqual([])
    }
  })

  it('leaves a memory alone that the source does not have, and writes nothing beside it', async () => {
    const from = await lived()
    const deleted = await lived()
    await deleted.deleteMemory('chat')
    const never = fresh()
    const agent = createAgent({
      modelClient: scriptedModel([{ text: 'one' }]),
      model: 'scripted',
      sessionStore: never.sessions(),
      autosave: 'sync',
    })
    await (await agent.newSession({ id: 'chat' })).run('first')
    for (const source of [deleted, never]) {
      const to = fresh()
      await to.memory('chat').addUserInput('mine')
      await expect(copySession(source, to, 'chat')).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await to.sessions().load('chat')).toBeUndefined()
    }
    // A resume there would find the deletion, not the memory in the record.
    const to = fresh()
    await copySession(from, to, 'chat')
    await to.sessions().delete('chat')
    await to.deleteMemory('chat')
    await expect(copySession(never, to, 'chat')).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await to.sessions().load('chat')).toBeUndefined()
    // What was deleted there makes way for what lives here.
    expect(await copySession(from, to, 'chat')).toEqual({ memory: true, session: true })
  })

  it('says of a copy of which one half is stored that the outcome is unknown, and can be repeated', async () => {
    const from = await lived()
    const driver = new MemoryDriver()
    const to = createStorage(driver)
    const { replace } = driver
    driver.replace = (id, ...rest) => {
      if (id.startsWith('s')) return Promise.reject(new Error('full'))
      return replace.call(driver, id, ...rest)
    }
    Object.assign(driver, { classify: () => 'refused' })
    await expect(copySession(from, to, 'chat')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      outcome: 'unknown',
      message: expect.stringContaining('"chat" is copied, its session may not be; copy it again'),
      cause: expect.objectContaining({ message: 'full' }),
    })
    driver.replace = replace
    expect(await copySession(from, to, 'chat')).toEqual({ memory: true, session: true })
    expect(await withoutRevision(to)).toEqual(await withoutRevision(from))
  })

  it('does not copy what was deleted', async () => {
    const from = await lived()
    await from.deleteMemory('chat')
    await from.sessions().delete('chat')
    await expect(copySession(from, fresh(), 'chat')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('can be repeated, and goes on where a copy was cut short', async () => {
    const from = await lived()
    const to = fresh()
    await to.memory('chat').restore(await from.memory('chat').snapshot())
    await to.memory('chat').delete()
    await copySession(from, to, 'chat')
    const { revision } = (await to.sessions().load('chat')) ?? {}
    await copySession(from, to, 'chat')
    expect((await to.sessions().load('chat'))?.revision).toBe(revision)
    await to.sessions().delete('chat')
    await copySession(from, to, 'chat')
    expect(await withoutRevision(to)).toEqual(await withoutRevision(from))
  })

  it('leaves alone what differs', async () => {
    const from = await lived()
    const to = fresh()
    await to.memory('chat').addUserInput('mine')
    await expect(copySession(from, to, 'chat')).rejects.toMatchObject({
      code: 'CONFLICT',
      outcome: 'not-committed',
    })
    expect(await to.sessions().load('chat')).toBeUndefined()
    expect((await to.memory('chat').getItems()).length).toBe(1)
  })

  it('refuses what cannot be copied', async () => {
    const from = await lived()
    const to = fresh()
    await expect(copySession(from, to, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(copySession(from, from, 'chat')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(copySession(from, to, '')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    for (const wrong of [undefined, null, {}, 'sqlite:a.db']) {
      await expect(copySession(from, wrong as never, 'chat')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
      await expect(copySession(wrong as never, to, 'chat')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
  })

  it('does not copy what cannot be read', async () => {
    const driver = new MemoryDriver()
    const from = createStorage(driver)
    await from.memory('chat').addUserInput('hello')
    const read = driver.read.bind(driver)
    driver.read = async (id, options) => {
      const found = await read(id, options)
      if (!found || found === 'unchanged' || !id.startsWith('m')) return found
      return { ...found, entries: found.entries.map(() => '["part"') }
    }
    const to = fresh()
    await expect(copySession(createStorage(driver), to, 'chat')).rejects.toMatchObject({
      code: 'CORRUPT',
    })
    expect(await to.listMemories()).toEqual({ memories: [] })
  })
})

const secret = () =>
  createStorage(new MemoryDriver(), { encryption: aesGcm(new Uint8Array(32).fill(7)) })
