import { InMemoryAgentMemory, InMemoryAgentSessionStore, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { rejection } from '../runtime/support.ts'
import {
  agentOf,
  countingPolicy,
  durable,
  expectFold,
  onlyPayload,
  texts,
} from './session-support.ts'

describe('fork', () => {
  it('copies log and memory, and both go their own way', async () => {
    const sessionStore = new InMemoryAgentSessionStore()
    const agent = agentOf(['a', 'b', 'c'], { sessionStore })
    const session = await agent.newSession({ id: 's', attributes: { user: 1 } })
    await session.run('1')
    const before = await session.snapshot()
    const fork = await session.fork('f')
    expect(fork.id).toBe('f')
    expect(fork.metadata.attributes).toEqual({ user: 1 })
    expect(fork.eventLog.events.slice(0, -1)).toEqual(before.events)
    expect(onlyPayload(fork, 'SESSION_RESTORED')).toEqual({ reason: 'fork', unchanged: true })
    await fork.run('2')
    fork.setAttributes({ user: 2 })
    await session.run('3')
    expect(texts(await fork.memory.getItems())).toEqual(['1', 'a', '2', 'b'])
    expect(texts(await session.memory.getItems())).toEqual(['1', 'a', '3', 'c'])
    expect(session.metadata.attributes).toEqual({ user: 1 })
    expect(session.eventLog.events.slice(0, before.events.length)).toEqual(before.events)
    for (const one of [fork, session]) {
      await expectFold(one)
      await one.flush()
    }
    expect(await sessionStore.listSessionIds()).toEqual(['f', 's'])
  })

  it('goes back to any event', async () => {
    const session = await agentOf(['a', 'b']).newSession()
    const states = [await session.memory.snapshot()]
    for (const text of ['1', '2']) {
      await session.run(text)
      states.push(await session.memory.snapshot())
    }
    const { events } = session.eventLog
    for (const { sequence } of events) {
      const fork = await session.fork(`until ${sequence}`, { until: sequence })
      expect(fork.eventLog.events.slice(0, -1)).toEqual(events.slice(0, sequence))
      await expectFold(fork)
    }
    const half = await session.fork('half', { until: events.length / 2 })
    expect(await half.memory.snapshot()).toEqual(states[1])
    expect(await session.memory.snapshot()).toEqual(states[2])
  })

  it('knows the compaction of its own past alone', async () => {
    const session = await agentOf(['a', 'b', 'c']).newSession()
    await session.run('1')
    await session.compact(countingPolicy())
    const first = session.eventLog.lastSequence
    await session.run('2')
    await session.compact(countingPolicy())
    const summaryOf = async (id: string, until?: number) =>
      (await (await session.fork(id, { until })).snapshot()).compact?.summary
    expect(await summaryOf('now')).toBe('[2][2]')
    expect(await summaryOf('then', first)).toBe('[2]')
    expect(await summaryOf('before', first - 1)).toBeUndefined()
    await session.trimEvents(session.eventLog.lastSequence + 1)
    await session.run('3')
    expect(await summaryOf('trimmed', session.eventLog.lastSequence - 1)).toBe('[2][2]')
  })

  it('refuses an until that is no event of it', async () => {
    const session = await agentOf(['a']).newSession()
    await rejection(session.fork('f', { until: 1 }), 'INVALID_ARGUMENT')
    await session.run('1')
    await session.trimEvents(5)
    const { lastSequence } = session.eventLog
    for (const until of [0, 3, lastSequence + 1, 4.5, Number.NaN, '5' as never]) {
      await rejection(session.fork('f', { until }), 'INVALID_ARGUMENT')
    }
    await rejection(session.fork('f', { untill: 5 } as never), 'INVALID_ARGUMENT')
    await rejection(session.fork(' '), 'INVALID_ARGUMENT')
  })

  it('is CONFLICT onto an id that has a record or a memory, which stay as they are', async () => {
    const { open } = durable()
    const { storage, stores } = open()
    const agent = agentOf(['a', 'b'], stores)
    const session = await agent.newSession({ id: 's' })
    await session.run('1')
    await storage.memory('memory').addUserInput('mine')
    await (await agent.newSession({ id: 'record' })).save()
    for (const id of ['memory', 'record', 's']) await rejection(session.fork(id), 'CONFLICT')
    expect(await storage.memory('memory').getItems()).toEqual([userMessage('mine')])
    expect((await stores.sessionStore.load('record'))?.events).toEqual([])
  })

  it('installs where a memory was deleted, also one that nobody can adopt into', async () => {
    const { open } = durable()
    const { stores } = open()
    const agent = agentOf(['a', 'b'], stores)
    const session = await agent.newSession({ id: 's' })
    await session.run('1')
    await (await session.fork('f')).flush()
    await agent.deleteSession('f')
    const again = await session.fork('f')
    expect(await again.memory.getItems()).toHaveLength(2)
    await expectFold(again)
  })

  it('needs no more of a memory than snapshots', async () => {
    const memories = new Map<string, InMemoryAgentMemory>()
    const memorySupplier = (id: string) => {
      const memory = memories.get(id) ?? new InMemoryAgentMemory()
      memories.set(id, memory)
      return Object.assign(memory, { update: undefined }) as unknown as InMemoryAgentMemory
    }
    const session = await agentOf(['a'], { memorySupplier }).session('plain')
    await session.run('1')
    expect(await (await session.fork('plain fork')).memory.getItems()).toHaveLength(2)
    await rejection(session.fork('plain fork'), 'CONFLICT')
    await rejection(session.undo(), 'UNSUPPORTED')
    await expectFold(session)
  })
})
