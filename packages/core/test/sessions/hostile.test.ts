import {
  type AgentSession,
  InMemoryAgentSessionStore,
  type ModelClient,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  client,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
} from '../runtime/support.ts'
import {
  agentOf,
  asking,
  calls,
  durable,
  eventsOf,
  expectFold,
  onlyPayload,
  typesOf,
} from './session-support.ts'

describe('a model', () => {
  it('that keeps its prompt and its answer changes nothing by them', async () => {
    const kept: { items: unknown[] }[] = []
    const result = { memoryItems: [assistant('a')] as unknown[], toolCalls: [], text: 'a' }
    const modelClient: ModelClient = client(async (prompt) => {
      for (const one of kept) one.items.length = 0
      kept.push(prompt)
      setImmediate(() => result.memoryItems.push(assistant('smuggled')))
      return result
    })
    const session = await agentOf([], { modelClient }).newSession()
    await session.run('1')
    kept[0]?.items.push('x')
    result.memoryItems.length = 0
    expect(await session.memory.getItems()).toEqual([userMessage('1'), assistant('a')])
    await expectFold(session)
  })

  it('that throws what cannot be read fails like others', async () => {
    const hostile = {
      get code() {
        throw new Error('no')
      },
      get status() {
        throw new Error('no')
      },
    }
    for (const thrown of [hostile, null, undefined, Object.create(null), Symbol('x'), 7n]) {
      const modelClient = client(() => Promise.reject(thrown))
      const session = await agentOf([], { modelClient }).newSession()
      await rejection(session.run('1'), 'MODEL_FAILED')
      expect(typesOf(session).at(-1)).toBe('ERROR')
      await expectFold(session)
    }
  })
})

describe('a tool', () => {
  it('may use its session: what would change memory beside the run is CONFLICT', async () => {
    const codes: unknown[] = []
    const holder: { session?: AgentSession } = {}
    const tools = [
      simpleTool('t', async () => {
        const { session } = holder
        if (!session) return
        for (const act of [
          () => session.run('again'),
          () => session.clear(),
          () => session.undo(),
          () => session.restore({ items: [] }),
          () => session.trimEvents(3),
          () => session.answer('t', { output: 'mine' }),
          () => session.stream('again').result,
        ]) {
          codes.push(await act().then(String, (error) => error.code))
        }
        await session.save()
        await session.flush()
        await session.fork('while it runs')
        await session.replaceToolOutput('before', 'replaced')
        await session
          .compact({ shouldCompact: () => true, compact: () => null as never })
          .catch(() => {})
        return (await session.snapshot()).memory.items.length
      }),
      simpleTool('before', () => 'x'),
    ]
    const sessionStore = new InMemoryAgentSessionStore()
    const agent = agentOf([calls('before'), calls('t'), 'done'], { tools, sessionStore })
    const session = await agent.newSession({ id: 'in use' })
    holder.session = session
    expect((await session.run('Hi')).text).toBe('done')
    expect(codes).toEqual(Array(7).fill('CONFLICT'))
    expect(await session.memory.getItems()).toContainEqual(output('before', 'replaced'))
    expect(await session.memory.getItems()).toContainEqual(output('t', '4'))
    const fork = await agent.resumeSession('while it runs')
    expect(await fork.pending()).toMatchObject([{ callId: 't', state: 'unknown' }])
    for (const one of [session, fork]) await expectFold(one)
  })

  it('that answers after the abort is dropped, with an event that names it', async () => {
    const abort = new AbortController()
    const tools = [
      simpleTool('t', async () => {
        abort.abort()
        await settle()
        return 'late'
      }),
    ]
    const session = await agentOf([calls('t')], { tools }).newSession()
    await rejection(session.run('Hi', { signal: abort.signal }), 'ABORTED')
    await settle()
    await settle()
    const late = eventsOf(session, 'ERROR').filter(({ payload }) => payload['during'] === 'tool')
    expect(late.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ code: 'ABORTED', callId: 't', name: 't' }),
    ])
    expect(JSON.stringify(await session.snapshot())).not.toContain('"late"')
    expectPaired(await session.memory.getItems())
    await expectFold(session)
  })

  it('that throws what cannot be read answers all the same', async () => {
    const hostile = {
      get message() {
        throw new Error('no')
      },
    }
    for (const thrown of [hostile, null, undefined, Object.create(null), Symbol('x')]) {
      const tools = [
        simpleTool('t', () => {
          throw thrown
        }),
      ]
      const session = await agentOf([calls('t'), 'done'], { tools }).newSession()
      expect((await session.run('Hi')).text).toBe('done')
      expect(onlyPayload(session, 'TOOL_RESULT')).toMatchObject({ ok: false })
      await expectFold(session)
    }
  })
})

describe('a stored log', () => {
  it('whose events lack what they should have breaks no session', async () => {
    const sessionStore = new InMemoryAgentSessionStore()
    const types = [
      'USER_INPUT',
      'MEMORY_ITEMS_APPENDED',
      'ANSWERED',
      'TOOL_RESULT',
      'SESSION_RESTORED',
      'TOOL_CALL',
      'INTERRUPTED',
      'MEMORY_COMPRESS',
      'TO_COME',
    ]
    const payloads = [
      {},
      { callId: 'c' },
      { items: 5 },
      { items: [5, null] },
      { callId: 'c', answer: 5 },
    ]
    const events = types.flatMap((type) => payloads.map((payload) => ({ type, payload })))
    await sessionStore.save({
      id: 's',
      metadata: { createdAt: 1, updatedAt: 1, attributes: {} },
      memory: { items: [userMessage('1')] },
      events: events.map((event, at) => ({ ...event, sequence: at + 1, at: 1 })) as never,
    })
    const session = await agentOf(['a'], { sessionStore }).resumeSession('s')
    expect(await session.pending()).toEqual([])
    expect((await session.run('2')).text).toBe('a')
    expect(await session.undo()).toBe(true)
    await session.trimEvents(30)
    await expectFold(session)
  })
})

describe('two sessions of one id', () => {
  it('over one stored memory see each other’s items, and one of them saves', async () => {
    const { open } = durable()
    const [one, two] = [
      await agentOf(['a'], open().stores).session('s'),
      await agentOf(['b'], open().stores).session('s'),
    ]
    await one.run('1')
    await two.run('2')
    expect((await two.memory.getItems()).length).toBe(4)
    const saves = await Promise.allSettled([one.flush(), two.flush()])
    expect(saves.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(1)
    await expectFold(await agentOf([], open().stores).session('s'))
  })
})

describe('what a caller changes right after the call', () => {
  it('changes nothing of what is stored', async () => {
    const tools = [simpleTool('t', () => 'x'), asking('?')]
    const session = await agentOf([calls('t', 'asks'), 'a', 'b'], { tools }).newSession()
    const input = [userMessage('1')]
    const run = session.run(input)
    input[0] = userMessage('changed')
    input.push(userMessage('more'))
    await run
    expect((await session.memory.getItems())[0]).toEqual(userMessage('1'))
    const parts = [{ type: 'input_text', text: 'short' }]
    const replaced = session.replaceToolOutput('t', parts)
    parts.push({ type: 'input_text', text: 'more' })
    await replaced
    await expectFold(session)
    expect(await session.memory.getItems()).toContainEqual(output('t', [parts[0]]))
    const answer = { reply: 'yes' }
    const answered = session.answer('asks', answer)
    answer.reply = 'no'
    await answered
    await session.run(null)
    expect(await session.memory.getItems()).toContainEqual(output('asks', '["yes"]'))
    const snapshot = structuredClone(await session.snapshot())
    const other = await agentOf([]).newSession()
    const restored = other.restore(snapshot)
    ;(snapshot.events as unknown[]).length = 1
    ;(snapshot.memory.items as unknown[]).length = 1
    await restored
    expect(await other.memory.snapshot()).toEqual(await session.memory.snapshot())
    expect(other.eventLog.events.slice(0, -1)).toEqual(session.eventLog.events)
  })
})
