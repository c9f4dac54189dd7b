import { InMemoryAgentMemory, InMemoryAgentSessionStore } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { deferred, rejection, settle, simpleTool, thrown } from '../runtime/support.ts'
import { agentOf, calls, durable, texts } from './session-support.ts'

const withStore = (turns = ['a', 'b', 'c']) => {
  const sessionStore = new InMemoryAgentSessionStore()
  return { sessionStore, agent: agentOf(turns, { sessionStore }) }
}

describe('opening', () => {
  it('newSession writes nothing, and refuses an id that is stored', async () => {
    const { agent, sessionStore } = withStore()
    const session = await agent.newSession({ id: 's', attributes: { user: 7 } })
    expect(await sessionStore.listSessionIds()).toEqual([])
    await session.save()
    await rejection(agent.newSession({ id: 's' }), 'CONFLICT')
    expect((await sessionStore.load('s'))?.metadata.attributes).toEqual({ user: 7 })
  })

  it('newSession refuses attributes that JSON cannot carry', async () => {
    const { agent } = withStore()
    await rejection(
      agent.newSession({ attributes: { at: new Date() } as never }),
      'NOT_SERIALIZABLE',
    )
    await rejection(agent.newSession({ attributes: [] as never }), 'INVALID_ARGUMENT')
    await rejection(agent.newSession({ id: 's', name: 'x' } as never), 'INVALID_ARGUMENT')
  })

  it('attributes over 10 KiB are refused when they are given, and those there are stay', async () => {
    const { agent } = withStore()
    // In all 10,240 bytes with `{"a":""}`, and one more.
    const most = { a: 'é'.repeat(5_116) }
    const more = { a: `${most.a}x` }
    await rejection(agent.newSession({ id: 's', attributes: more }), 'TOO_LARGE')
    const session = await agent.newSession({ id: 's', attributes: most })
    thrown(() => session.setAttributes(more), 'TOO_LARGE')
    expect(session.metadata.attributes).toEqual(most)
    await session.save()
  })

  it('resumeSession needs a store and a record', async () => {
    await rejection(agentOf([]).resumeSession('s'), 'INVALID_ARGUMENT')
    await rejection(withStore().agent.resumeSession('s'), 'NOT_FOUND')
    await rejection(withStore().agent.resumeSession(' '), 'INVALID_ARGUMENT')
  })

  it('session resumes what there is, or makes it', async () => {
    const { agent, sessionStore } = withStore()
    const first = await agent.session('s')
    await first.run('1')
    await first.flush()
    const again = await agent.session('s')
    expect(await again.memory.getItems()).toHaveLength(2)
    await again.run('2')
    await again.flush()
    expect(texts((await sessionStore.load('s'))?.memory.items ?? [])).toEqual(['1', 'a', '2', 'b'])
  })
})

describe('deleteSession', () => {
  it('removes memory and record, and answers whether there was either', async () => {
    const { open } = durable()
    const { storage, stores } = open()
    const agent = agentOf(['a', 'b'], stores)
    const session = await agent.newSession({ id: '1' })
    await session.run('x')
    await session.flush()
    await (await agent.newSession({ id: '10' })).save()
    expect(await agent.deleteSession('1')).toBe(true)
    expect(await agent.deleteSession('1')).toBe(false)
    expect(await stores.sessionStore.listSessionIds()).toEqual(['10'])
    expect((await storage.listMemories()).memories).toEqual([])
    await storage.memory('only memory').addUserInput('x')
    expect(await agent.deleteSession('only memory')).toBe(true)
    await rejection(agent.deleteSession(''), 'INVALID_ARGUMENT')
  })

  it('clears a memory that cannot be deleted', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = agentOf(['a'], { memorySupplier: () => memory })
    expect(await agent.deleteSession('cleared')).toBe(false)
    await (await agent.session('cleared')).run('x')
    expect(await agent.deleteSession('cleared')).toBe(true)
    expect(await memory.snapshot()).toEqual({ items: [] })
  })

  it('ends a run whose session is deleted meanwhile with CONFLICT; nothing comes back', async () => {
    const { open } = durable()
    const { storage, stores } = open()
    const other = agentOf([], open().stores)
    const gate = simpleTool('t', async () => {
      await other.deleteSession('s')
      return 'late'
    })
    const agent = agentOf([calls('t'), 'x'], { ...stores, tools: [gate], autosave: 'sync' })
    const session = await agent.newSession({ id: 's' })
    await rejection(session.run('1'), 'CONFLICT')
    await rejection(session.save(), 'CONFLICT')
    expect(await stores.sessionStore.listSessionIds()).toEqual([])
    expect((await storage.listMemories()).memories).toEqual([])
  })
})

describe('runAsync', () => {
  it('runs on an executor that says when', async () => {
    const gate = deferred()
    const order: string[] = []
    const agent = agentOf(['a', 'b'])
    const executor = async <T>(task: () => Promise<T>) => {
      await gate.promise
      order.push('turn')
      return task()
    }
    const runs = [
      agent.runAsync({ input: '1' }, executor),
      agent.runAsync({ input: '2' }, executor),
    ]
    await settle()
    expect(order).toEqual([])
    gate.resolve()
    expect((await Promise.all(runs)).map(({ text }) => text)).toEqual(['a', 'b'])
  })

  it('runs at once by default, takes the options of run, and refuses what is none', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = agentOf(['a'])
    expect((await agent.runAsync({ input: '1', memory, maxSteps: 1 })).text).toBe('a')
    expect(await memory.getItems()).toHaveLength(2)
    await rejection(agent.runAsync({ input: '1' }, 5 as never), 'INVALID_ARGUMENT')
    await rejection(agent.runAsync({ input: '1', speed: 1 } as never), 'INVALID_ARGUMENT')
    await rejection(agent.runAsync(null as never), 'INVALID_ARGUMENT')
  })
})

describe('metadata', () => {
  it('tells when it was made and changed, and comes back the same', async () => {
    const { agent } = withStore()
    const attributes = { at: '2026-01-01T00:00:00Z', n: 1.5, deep: { list: [null, true] } }
    const session = await agent.newSession({ id: 's', attributes })
    await session.run('x')
    session.setAttributes({ ...attributes, more: 1 })
    const { metadata } = session
    expect(metadata.updatedAt).toBeGreaterThanOrEqual(metadata.createdAt)
    await session.save()
    const again = await agent.resumeSession('s')
    expect(again.metadata).toMatchObject({
      createdAt: metadata.createdAt,
      attributes: metadata.attributes,
    })
  })

  it('is detached both ways', async () => {
    const { agent } = withStore()
    const attributes = { list: [1] }
    const session = await agent.newSession({ attributes })
    attributes.list.push(2)
    ;(session.metadata.attributes['list'] as number[]).push(3)
    expect(session.metadata.attributes).toEqual({ list: [1] })
    session.setAttributes(attributes)
    attributes.list.push(3)
    expect(session.metadata.attributes).toEqual({ list: [1, 2] })
    thrown(() => session.setAttributes(5 as never), 'INVALID_ARGUMENT')
    thrown(() => session.setAttributes({ f: () => 1 } as never), 'NOT_SERIALIZABLE')
    expect(session.metadata.attributes).toEqual({ list: [1, 2] })
  })
})
