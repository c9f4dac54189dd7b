import {
  type AgentSessionSnapshot,
  type CompactPolicy,
  functionCallOutput,
  InMemoryAgentMemory,
  InMemoryAgentSessionStore,
  SessionLogReader,
  userMessage,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { call, deferred, rejection, simpleTool } from '../runtime/support.ts'
import {
  agentOf,
  calls,
  compactResult,
  eventsOf,
  expectFold,
  onlyPayload,
  texts,
  typesOf,
} from './session-support.ts'

const withStore = (turns = ['a', 'b', 'c']) => {
  const sessionStore = new InMemoryAgentSessionStore()
  return { sessionStore, agent: agentOf(turns, { sessionStore }) }
}

describe('snapshot and restore', () => {
  it('a snapshot is detached, and has no revision before it is stored', async () => {
    const { agent } = withStore()
    const session = await agent.newSession({ id: 's' })
    expect(await session.snapshot()).toMatchObject({ id: 's', events: [], memory: { items: [] } })
    await session.run('1')
    await session.flush()
    const snapshot = await session.snapshot()
    expect(snapshot.revision).toEqual(expect.any(String))
    ;(snapshot.events[0] as { type: string }).type = 'x'
    ;(snapshot.memory.items as unknown[]).length = 0
    await expectFold(session)
    expect(await session.memory.getItems()).toHaveLength(2)
  })

  it('restore keeps id and log, and installs exactly that memory', async () => {
    const source = await agentOf(['a']).newSession()
    await source.run('1')
    const snapshot = await source.snapshot()
    const session = await agentOf(['b', 'c']).newSession({ id: 'mine' })
    await session.run('2')
    const before = session.eventLog.lastSequence
    await session.restore(snapshot)
    expect(session.id).toBe('mine')
    expect(session.eventLog.lastSequence).toBe(before + 1)
    expect(await session.memory.snapshot()).toEqual(snapshot.memory)
    await session.run('3')
    expect(texts(await session.memory.getItems())).toEqual(['1', 'a', '3', 'c'])
    await expectFold(session)
    expect(await source.memory.getItems()).toHaveLength(2)
  })

  it('an empty log takes over the events, and numbering goes on', async () => {
    const source = await agentOf(['a']).newSession()
    await source.run('1')
    const snapshot = await source.snapshot()
    const session = await agentOf(['b']).newSession()
    await session.restore(snapshot)
    expect(session.eventLog.events.slice(0, -1)).toEqual(snapshot.events)
    expect(onlyPayload(session, 'SESSION_RESTORED')).toEqual({ reason: 'restore', unchanged: true })
    await session.run('2')
    await expectFold(session)
    expect(await source.snapshot()).toEqual(snapshot)
  })

  it('takes a memory’s snapshot, summary and all', async () => {
    const session = await agentOf(['b']).newSession()
    const memory = { items: [userMessage('x')], summary: 'before' }
    await session.restore(memory)
    expect(await session.memory.snapshot()).toEqual(memory)
    expect(await session.memory.getSummary()).toBe('before')
    await expectFold(session)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['no items', {}],
    ['items that are none', { items: [1] }],
    ['a summary that is no text', { items: [], summary: 5 }],
    ['a memory that is none', { id: 'x', memory: { items: 'x' }, events: [] }],
    ['events that are no list', { memory: { items: [] }, events: {} }],
    ['events that are none', { memory: { items: [] }, events: [5] }],
    ['events out of order', { memory: { items: [] }, events: [event(2), event(1)] }],
  ])('refuses %s, and overwrites nothing', async (_, wrong) => {
    const session = await agentOf(['a']).newSession()
    await rejection(session.restore(wrong as AgentSessionSnapshot), 'INVALID_ARGUMENT')
    expect(session.eventLog.events).toEqual([])
    await session.run('1')
    await rejection(session.restore(wrong as AgentSessionSnapshot), 'INVALID_ARGUMENT')
    expect(await expectFold(session)).toMatchObject({ items: [userMessage('1'), {}] })
  })

  it('keeps nothing of what the caller changes later', async () => {
    const session = await agentOf([]).newSession()
    const compact = { completed: ['a'] }
    const snapshot = { ...(await session.snapshot()), compact: compact as never }
    await session.restore(snapshot)
    compact.completed.push('b')
    expect((await session.snapshot()).compact?.completed).toEqual(['a'])
  })
})

const event = (sequence: number) => ({ sequence, type: 'STEP_START', at: 1, payload: {} })

describe('undo', () => {
  it('takes turn after turn out of memory, the input with its answers', async () => {
    const session = await agentOf([calls('t'), 'one', 'two'], {
      tools: [simpleTool('t', () => 'x')],
    }).newSession()
    await session.run(['1', '1 more'].map(userMessage))
    await session.run('2')
    expect(await session.undo()).toBe(true)
    expect(texts(await session.memory.getItems())).toEqual(['1', '1 more', 't', 'x', 'one'])
    expect(await session.undo()).toBe(true)
    expect(await session.memory.getItems()).toEqual([])
    expect(await session.undo()).toBe(false)
    expect(eventsOf(session, 'SESSION_RESTORED')).toHaveLength(2)
    await expectFold(session)
  })

  it('goes by the last user message where the log was trimmed or knows nothing', async () => {
    const session = await agentOf(['a']).newSession()
    await session.run('1')
    await session.trimEvents(session.eventLog.lastSequence + 1)
    expect(await session.undo()).toBe(true)
    await session.restore({
      items: [userMessage('a'), call('t', 'c'), functionCallOutput('c', 'x')],
    })
    expect(await session.undo()).toBe(true)
    expect(await session.memory.getItems()).toEqual([])
    await session.restore({ items: [call('t', 'c')], summary: 'kept' })
    expect(await session.undo()).toBe(false)
    expect(await expectFold(session)).toEqual({ items: [call('t', 'c')], summary: 'kept' })
  })

  it('takes two inputs of one text one by one', async () => {
    const session = await agentOf(['a', 'b']).newSession()
    await session.run('same')
    await session.run('same')
    await session.undo()
    expect(texts(await session.memory.getItems())).toEqual(['same', 'a'])
    await session.undo()
    expect(await expectFold(session)).toEqual({ items: [] })
  })

  it('takes an input whole, though a later one of the same text was taken back', async () => {
    const session = await agentOf(['a', 'b', 'c']).newSession()
    const context = { type: 'message', role: 'developer', content: 'ctx' }
    await session.run([context, userMessage('go on')])
    await session.run('go on')
    await session.undo()
    expect(await session.memory.getItems()).toHaveLength(3)
    await session.run('other')
    await session.undo()
    expect(await session.undo()).toBe(true)
    expect(await expectFold(session)).toEqual({ items: [] })
  })

  it('takes an input whole that a compaction left as it was, and what is left of one that it cut', async () => {
    const session = await agentOf(['a', 'b', 'c', 'd']).newSession()
    const context = { type: 'message', role: 'developer', content: 'ctx' }
    const policy = (cut: number): CompactPolicy => ({
      shouldCompact: () => true,
      compact: ({ items }) => compactResult({ items: items.slice(cut), summary: 'short' }),
    })
    await session.run('1')
    await session.run([context, userMessage('2')])
    await session.compact(policy(2))
    const { items } = await session.memory.snapshot()
    expect(items).toHaveLength(3)
    await session.undo()
    expect(await expectFold(session)).toEqual({ items: [], summary: 'short' })
    await session.restore({ items })
    await session.compact(policy(1))
    await session.undo()
    expect((await expectFold(session)).items).toEqual([])
    await session.run('go on')
    await session.run(['go on', 'and on'].map(userMessage))
    await session.compact(policy(2))
    expect(texts(await session.memory.getItems())).toEqual(['short', 'go on', 'and on', 'd'])
    await session.undo()
    expect((await expectFold(session)).items).toEqual([])
  })

  it('takes back what another writer said last, and only that', async () => {
    const memory = new InMemoryAgentMemory()
    const session = await agentOf(['a'], { memorySupplier: () => memory }).newSession()
    await session.run('1')
    await memory.addUserInput('from elsewhere')
    expect(await session.undo()).toBe(true)
    expect(texts(await memory.getItems())).toEqual(['1', 'a'])
    await expectFold(session)
  })

  it('takes back outputs that came as input', async () => {
    const session = await agentOf(['a']).newSession()
    await session.restore({ items: [userMessage('1'), call('t', 'c')] })
    await session.run(functionCallOutput('c', 'by hand'))
    await session.undo()
    expect(await session.memory.getItems()).toHaveLength(2)
    await expectFold(session)
  })

  it('takes back outputs that came as input and were replaced, and no older turn', async () => {
    const session = await agentOf(['a']).newSession()
    const before = [userMessage('1'), call('t', 'c')]
    await session.restore({ items: before })
    await session.run(functionCallOutput('c', 'by hand'))
    await session.replaceToolOutput('c', 'short')
    await session.undo()
    expect((await expectFold(session)).items).toEqual(before)
  })

  it('goes by the log also where the memory windows itself', async () => {
    const compressor = new WindowedMemoryCompressor(5)
    const memorySupplier = () => new InMemoryAgentMemory({ compressor })
    const session = await agentOf(['a', 'b', 'c'], { memorySupplier }).newSession()
    await session.run(['1', '1 more', '1 yet more'].map(userMessage))
    await session.run(['2', '2 more'].map(userMessage))
    expect(texts(await session.memory.getItems())).toEqual(['1 yet more', 'a', '2', '2 more', 'b'])
    await session.undo()
    expect(texts(await session.memory.getItems())).toEqual(['1 yet more', 'a'])
    await session.undo()
    expect(await session.memory.getItems()).toEqual([])
    expect(await session.undo()).toBe(false)
  })
})

describe('trimEvents', () => {
  it('leaves a baseline in front, the same memory, and numbering goes on', async () => {
    const { agent, sessionStore } = withStore()
    const session = await agent.newSession({ id: 's' })
    await session.run('1')
    await session.run('2')
    const memory = await session.memory.snapshot()
    const last = session.eventLog.lastSequence
    await session.trimEvents(last)
    expect(typesOf(session)).toEqual(['SESSION_RESTORED', 'STEP_END'])
    const [baseline] = session.eventLog.events
    expect(baseline).toMatchObject({ sequence: last - 1, payload: { reason: 'trim', ...memory } })
    await expectFold(session)
    await session.run('3')
    await session.save()
    expect(await SessionLogReader.of(sessionStore).project('s')).toEqual(
      await session.memory.snapshot(),
    )
    const again = await agent.resumeSession('s')
    expect(again.eventLog.lastSequence).toBe(session.eventLog.lastSequence + 1)
    await expectFold(again)
  })

  it('drops nothing before the first event, and all where it is told to', async () => {
    const session = await agentOf(['a', 'b']).newSession()
    await session.trimEvents(5)
    expect(session.eventLog.events).toEqual([])
    await session.run('1')
    const { events, lastSequence } = session.eventLog
    for (const before of [-1, 0, 1]) await session.trimEvents(before)
    expect(session.eventLog.events).toEqual(events)
    await session.trimEvents(lastSequence + 100)
    expect(typesOf(session)).toEqual(['SESSION_RESTORED'])
    expect(session.eventLog.lastSequence).toBe(lastSequence)
    await session.trimEvents(lastSequence + 100)
    await expectFold(session)
    await rejection(session.trimEvents(1.5), 'INVALID_ARGUMENT')
    await rejection(session.trimEvents('1' as never), 'INVALID_ARGUMENT')
  })
})

describe('beside a run', () => {
  it('what changes memory as a whole is CONFLICT; what was begun before comes first', async () => {
    const gate = deferred<string>()
    const session = await agentOf([() => gate.promise, 'b']).newSession()
    const run = session.run('1')
    const snapshot = { items: [] }
    for (const change of [
      () => session.clear(),
      () => session.undo(),
      () => session.restore(snapshot),
      () => session.trimEvents(1),
      () => session.answer('c', { approve: true }),
    ]) {
      const error = await rejection(change(), 'CONFLICT')
      expect(error.outcome).toBe('not-committed')
    }
    gate.resolve('a')
    await run
    const cleared = session.clear()
    await session.run('2')
    await cleared
    expect(texts(await session.memory.getItems())).toEqual(['2', 'b'])
    await expectFold(session)
  })
})
