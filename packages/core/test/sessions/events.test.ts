import {
  type AgentEvent,
  type AgentEventListener,
  functionCallOutput,
  HoldfastError,
  InMemoryAgentMemory,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { tool } from '../../src/index.ts'
import {
  ANY_OBJECT,
  assistant,
  call,
  never,
  rejection,
  settle,
  simpleTool,
} from '../runtime/support.ts'
import {
  agentOf,
  calls,
  compactResult,
  countingPolicy,
  eventsOf,
  expectFold,
  onlyPayload,
  typesOf,
} from './session-support.ts'

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 }

describe('the events of a run', () => {
  it('are these, in this order, with these payloads', async () => {
    const fails = simpleTool('fails', () => {
      throw new Error('no luck')
    })
    const tools = [simpleTool('works', () => ({ n: 1 })), fails]
    const session = await agentOf([{ ...calls('works'), usage }, calls('fails'), 'done'], {
      tools,
    }).newSession()
    await session.run('Hi')
    const { events } = session.eventLog
    const said = events.map(({ type, step, payload }) => [type, step, payload])
    const request = (items: number) => ({ model: 'm', items, tools: 2 })
    expect(said).toEqual([
      ['USER_INPUT', undefined, { items: [userMessage('Hi')] }],
      ['STEP_START', 0, {}],
      ['MODEL_REQUEST', 0, request(1)],
      ['MODEL_RESPONSE', 0, { usage, calls: 1 }],
      ['MEMORY_ITEMS_APPENDED', 0, { items: [call('works', 'works')] }],
      ['TOOL_CALL', 0, { callId: 'works', name: 'works', arguments: '{}' }],
      ['TOOL_RESULT', 0, { callId: 'works', name: 'works', output: '{"n":1}', ok: true }],
      ['STEP_END', 0, { calls: 1 }],
      ['STEP_START', 1, {}],
      ['MODEL_REQUEST', 1, request(3)],
      ['MODEL_RESPONSE', 1, { calls: 1 }],
      ['MEMORY_ITEMS_APPENDED', 1, { items: [call('fails', 'fails')] }],
      ['TOOL_CALL', 1, { callId: 'fails', name: 'fails', arguments: '{}' }],
      [
        'TOOL_RESULT',
        1,
        { callId: 'fails', name: 'fails', output: 'Error: no luck', ok: false, error: 'no luck' },
      ],
      ['STEP_END', 1, { calls: 1 }],
      ['STEP_START', 2, {}],
      ['MODEL_REQUEST', 2, request(5)],
      ['MODEL_RESPONSE', 2, { calls: 0 }],
      ['MEMORY_ITEMS_APPENDED', 2, { items: [assistant('done')] }],
      ['FINAL_OUTPUT', 2, { text: 'done' }],
      ['STEP_END', 2, { calls: 0 }],
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(new Set(events.map(({ runId }) => runId)).size).toBe(1)
    expect(events.every(({ at }) => Math.abs(Date.now() - at) < 60_000)).toBe(true)
    await expectFold(session)
  })

  it('say the finish reason, the parsed answer, and nothing of what is left out', async () => {
    const create = async () => ({
      memoryItems: [assistant('{"a":1}')],
      toolCalls: [],
      text: '{"a":1}',
      finishReason: 'stop',
    })
    const session = await agentOf([], { modelClient: { create }, output: ANY_OBJECT }).newSession()
    await session.run('Hi')
    expect(onlyPayload(session, 'MODEL_RESPONSE')).toEqual({ finishReason: 'stop', calls: 0 })
    expect(onlyPayload(session, 'FINAL_OUTPUT')).toEqual({ text: '{"a":1}', output: { a: 1 } })
  })

  it('name a failed run, with the message where it is one of ours', async () => {
    const session = await agentOf([]).newSession()
    const error = await rejection(session.run('Hi'), 'MODEL_FAILED')
    const payload = { code: 'MODEL_FAILED', message: error.message, during: 'run' }
    expect(onlyPayload(session, 'ERROR')).toEqual(payload)
    await expectFold(session)
  })

  it('never quote what a foreign error says', async () => {
    const memory = new InMemoryAgentMemory()
    memory.addOutputItems = async () => {
      throw new TypeError('the key is sk-1')
    }
    const session = await agentOf(['x'], { memorySupplier: () => memory }).newSession()
    await expect(session.run('Hi')).rejects.toThrow('sk-1')
    expect(onlyPayload(session, 'ERROR')).toEqual({
      code: 'TypeError',
      message: 'TypeError',
      during: 'run',
    })
  })

  it('tell of a question and of its answer', async () => {
    const asks = simpleTool('asks', async (_, { ask }) => `got ${await ask({ sure: true })}`)
    const session = await agentOf([calls('asks'), 'done'], { tools: [asks] }).newSession()
    await session.run('Hi')
    const about = { callId: 'asks', name: 'asks' }
    expect(onlyPayload(session, 'INTERRUPTED')).toEqual({ ...about, request: { sure: true } })
    await session.answer('asks', { reply: 'yes' })
    expect(onlyPayload(session, 'ANSWERED')).toEqual({ callId: 'asks', answer: { reply: 'yes' } })
    await session.run(null)
    expect(onlyPayload(session, 'TOOL_RESULT')).toEqual({ ...about, output: 'got yes', ok: true })
    await expectFold(session)
  })

  it('of an approval carry no request', async () => {
    const risky = tool({
      name: 'risky',
      description: '',
      parameters: ANY_OBJECT,
      needsApproval: true,
      execute: () => 'x',
    })
    const session = await agentOf([calls('risky')], { tools: [risky] }).newSession()
    await session.run('Hi')
    expect(onlyPayload(session, 'INTERRUPTED')).toEqual({ callId: 'risky', name: 'risky' })
    expect(typesOf(session)).not.toContain('TOOL_CALL')
  })
})

describe('each change of memory is one event:', () => {
  const started = async () => {
    const session = await agentOf([calls('t'), 'one', 'two'], {
      tools: [simpleTool('t', () => 'out')],
    }).newSession()
    await session.run('1')
    await session.run('2')
    const before = session.eventLog.lastSequence
    const news = () =>
      session.eventLog.events
        .filter(({ sequence }) => sequence > before)
        .map(({ type, payload }) => [type, payload])
    return { session, news }
  }

  it('replaceToolOutput', async () => {
    const { session, news } = await started()
    const parts = [{ type: 'input_text', text: 'short' }]
    await session.replaceToolOutput('t', parts)
    expect(news()).toEqual([['TOOL_OUTPUT_REPLACED', { callId: 't', output: parts }]])
    expect((await session.memory.getItems())[2]).toEqual(functionCallOutput('t', parts))
    await expectFold(session)
  })

  it('and none, where there is no such output, or what is given is none', async () => {
    const { session, news } = await started()
    await rejection(session.replaceToolOutput('else', 'x'), 'NOT_FOUND')
    await rejection(session.replaceToolOutput('t', 5 as never), 'INVALID_ARGUMENT')
    await rejection(session.replaceToolOutput('t', ['x'] as never), 'INVALID_ARGUMENT')
    await rejection(
      session.replaceToolOutput('t', [{ at: new Date() }] as never),
      'NOT_SERIALIZABLE',
    )
    expect(news()).toEqual([])
    await expectFold(session)
  })

  it('compact', async () => {
    const { session, news } = await started()
    const result = await session.compact(countingPolicy())
    expect(result?.memory).toEqual({ items: [], summary: '[6]' })
    expect(news()).toEqual([['MEMORY_COMPRESS', compactResult({ items: [], summary: '[6]' })]])
    await expectFold(session)
  })

  it('clear, undo, restore', async () => {
    const { session, news } = await started()
    const before = await session.memory.snapshot()
    await session.undo()
    await session.clear()
    await session.restore(before)
    const restored = (reason: string, items: unknown) => ['SESSION_RESTORED', { reason, items }]
    expect(news()).toEqual([
      restored('undo', before.items.slice(0, 4)),
      restored('clear', []),
      restored('restore', before.items),
    ])
    await expectFold(session)
  })

  it('restore to what is there already', async () => {
    const { session, news } = await started()
    await session.restore(await session.memory.snapshot())
    expect(news()).toEqual([['SESSION_RESTORED', { reason: 'restore', unchanged: true }]])
    await expectFold(session)
  })

  it('setAttributes changes none', async () => {
    const { session, news } = await started()
    session.setAttributes({ a: 1 })
    expect(news()).toEqual([])
  })
})

describe('a recorded event', () => {
  it('is frozen, and the list of events is a copy', async () => {
    const session = await agentOf(['x']).newSession()
    await session.run('Hi')
    const { events } = session.eventLog
    const [first] = events as unknown as { payload: { items: { content: unknown[] }[] } }[]
    expect(() => ((first as { payload: unknown }).payload = 1)).toThrow(TypeError)
    expect(() => first?.payload.items[0]?.content.push('x')).toThrow(TypeError)
    ;(events as AgentEvent[]).length = 0
    expect(session.eventLog.events.length).toBeGreaterThan(0)
  })
})

describe('listeners', () => {
  it('are told every event after it was recorded, and whose it is', async () => {
    const seen: unknown[] = []
    const agent = agentOf(['x', 'y'], {
      listeners: [(event, about) => seen.push([event.type, about.sessionId])],
    })
    const session = await agent.newSession({ id: 'one' })
    await session.run('Hi')
    expect(seen).toEqual(typesOf(session).map((type) => [type, 'one']))
    seen.length = 0
    await agent.run('Hi')
    expect(seen).toContainEqual(['FINAL_OUTPUT', undefined])
  })

  it('that throw or reject break nothing, hide nothing, and are named once each', async () => {
    const seen: string[] = []
    const listeners: AgentEventListener[] = [
      () => {
        throw new HoldfastError('CLOSED', 'secret')
      },
      (async () => {
        throw new RangeError('secret')
      }) as AgentEventListener,
      ({ type }) => seen.push(type),
    ]
    const session = await agentOf(['x', 'y'], { listeners }).newSession()
    await session.run('1')
    await session.run('2')
    await settle()
    const failures = eventsOf(session, 'ERROR').map(({ payload }) => payload)
    expect(failures).toEqual([
      { code: 'CLOSED', message: 'A listener failed: CLOSED.', during: 'listener' },
      { code: 'RangeError', message: 'A listener failed: RangeError.', during: 'listener' },
    ])
    expect(seen).toEqual(typesOf(session).filter((type) => type !== 'ERROR'))
    await expectFold(session)
  })

  it('that answer something strange break nothing either', async () => {
    const strange = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable that breaks whoever asks it.
      get then() {
        throw new Error('no')
      },
    }
    const listeners = [() => strange, () => never(), () => null] as never
    const session = await agentOf(['x'], { listeners }).newSession()
    expect((await session.run('1')).text).toBe('x')
    expect(eventsOf(session, 'ERROR')).toHaveLength(1)
  })

  it('are copied into the session: a later change of the list changes nothing', async () => {
    const seen: string[] = []
    const listeners: AgentEventListener[] = [({ type }) => seen.push(type)]
    const agent = agentOf(['x'], { listeners })
    listeners.length = 0
    const session = await agent.newSession()
    await session.run('1')
    expect(seen.length).toBe(session.eventLog.events.length)
  })

  it('may use the session that tells them', async () => {
    const work: Promise<unknown>[] = []
    const session = await agentOf(['x', 'y'], {
      listeners: [
        ({ type }) => {
          if (type !== 'FINAL_OUTPUT') return
          work.push(session.snapshot(), session.memory.getItems(), session.pending())
          work.push(rejection(session.run('again'), 'CONFLICT'))
          work.push(rejection(session.clear(), 'CONFLICT'))
          session.setAttributes({ seen: true })
        },
      ],
    }).newSession()
    await session.run('1')
    expect(await Promise.all(work)).toHaveLength(5)
    expect(session.metadata.attributes).toEqual({ seen: true })
    await expectFold(session)
  })
})
