import {
  type AgentEventType,
  type AgentOptions,
  createStorage,
  type JsonObject,
  MemoryDriver,
  type Redact,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { assistant, call, rejection, simpleTool } from '../runtime/support.ts'
import {
  agentOf,
  calls,
  compactResult,
  eventsOf,
  expectFold,
  onlyPayload,
} from './session-support.ts'

const SECRET = 'sk-12345'

const mask: Redact = (value) => JSON.parse(JSON.stringify(value).replaceAll(SECRET, '***'))

/** Every string that a driver was given. */
function spied() {
  const driver = new MemoryDriver()
  const stored: string[] = []
  for (const name of ['replace', 'append'] as const) {
    const write = driver[name] as (...args: unknown[]) => Promise<never>
    driver[name] = (...args: unknown[]) => {
      stored.push(JSON.stringify(args))
      return write.apply(driver, args)
    }
  }
  const storage = createStorage(driver)
  const options: Partial<AgentOptions> = {
    memorySupplier: (id) => storage.memory(id),
    sessionStore: storage.sessions(),
  }
  return { stored, options }
}

describe('redact', () => {
  it('keeps a secret out of memory, events and every stored byte, whatever brings it', async () => {
    const { stored, options } = spied()
    const seen: string[] = []
    const tools = [
      simpleTool('leaks', () => ({ key: SECRET })),
      simpleTool('throws', () => {
        throw new Error(`bad key ${SECRET}`)
      }),
      simpleTool('asks', (_, { ask }) => ask({ use: SECRET })),
    ]
    const turns = [
      { ...calls('leaks', 'throws', 'asks'), items: [assistant(`I saw ${SECRET}`)] },
      { text: JSON.stringify({ key: SECRET }) },
    ]
    const session = await agentOf(turns, {
      ...options,
      tools,
      redact: mask,
      output: { type: 'object' },
      listeners: [(event) => void seen.push(JSON.stringify(event))],
    }).newSession({ id: 's' })
    await session.run(`use ${SECRET}`)
    await session.answer('asks', { reply: SECRET })
    const result = await session.run(null)
    // What the caller gets is what the model said: only what is stored is redacted.
    expect(result.output).toEqual({ key: SECRET })
    await session.replaceToolOutput('leaks', `again ${SECRET}`)
    await session.compact({
      shouldCompact: () => true,
      compact: ({ items }) => ({
        ...compactResult({ items: items.slice(-1), summary: `knows ${SECRET}` }),
        decisions: [`keep ${SECRET}`],
      }),
    })
    await session.restore({ items: [userMessage(SECRET)], summary: SECRET })
    await session.flush()
    const { events } = session.eventLog
    const everything = [...stored, ...seen, JSON.stringify(events)].join()
    expect(everything).not.toContain(SECRET)
    expect(everything).toContain('***')
    expect(await session.memory.snapshot()).toEqual({ items: [userMessage('***')], summary: '***' })
    await expectFold(session)
  })

  it('covers the events that an empty log takes over from a foreign snapshot', async () => {
    const plain = await agentOf([calls('leaks'), `knows ${SECRET}`], {
      tools: [simpleTool('leaks', () => SECRET)],
    }).newSession({ id: 'plain' })
    await plain.run(`use ${SECRET}`)
    await plain.replaceToolOutput('leaks', `again ${SECRET}`)
    await plain.compact({
      shouldCompact: () => true,
      compact: ({ items }) => ({
        ...compactResult({ items: items.slice(-1), summary: SECRET }),
        files: [SECRET],
      }),
    })
    await plain.restore({ items: [userMessage(SECRET)], summary: SECRET })
    const foreign = await plain.snapshot()
    expect(JSON.stringify(foreign.events)).toContain(SECRET)
    const session = await agentOf([], { redact: mask }).newSession({ id: 'masked' })
    await session.restore(foreign)
    const everything = JSON.stringify(await session.snapshot())
    expect(everything).not.toContain(SECRET)
    expect(everything).toContain('***')
    expect(session.eventLog.events.slice(0, -1).map(({ type }) => type)).toEqual(
      foreign.events.map(({ type }) => type),
    )
    await expectFold(session)
  })

  it('shows what its contract says: items, outputs as items, summaries, payloads', async () => {
    const seen: [AgentEventType, JsonObject][] = []
    const session = await agentOf([calls('t', 'fails'), 'done'], {
      tools: [
        simpleTool('t', () => 'x'),
        simpleTool('fails', () => {
          throw new Error('no')
        }),
      ],
      redact: (value, type) => {
        seen.push([type, value])
        return value
      },
    }).newSession()
    await session.run('Hi')
    await session.restore({ items: [], summary: 's' })
    const of = (type: AgentEventType) => seen.filter(([t]) => t === type).map(([, value]) => value)
    expect(of('USER_INPUT')).toEqual([userMessage('Hi')])
    expect(of('MEMORY_ITEMS_APPENDED')).toEqual([
      call('t', 't'),
      call('fails', 'fails'),
      assistant('done'),
    ])
    for (const value of of('TOOL_RESULT')) {
      expect(Object.keys(value)).toEqual(['type', 'call_id', 'output'])
    }
    expect(of('SESSION_RESTORED')).toEqual([{ summary: 's' }])
    expect(of('FINAL_OUTPUT')).toEqual([{ text: 'done' }])
  })

  it('gets copies: what it does to them changes nothing else', async () => {
    const input = [userMessage('Hi')]
    const session = await agentOf(['x'], {
      redact: (value) => {
        for (const key of Object.keys(value)) delete (value as Record<string, unknown>)[key]
        return { role: 'user', said: 'nothing' }
      },
    }).newSession()
    await session.run(input)
    expect(input).toEqual([userMessage('Hi')])
    expect((await session.memory.getItems())[0]).toEqual({
      type: 'message',
      role: 'user',
      said: 'nothing',
    })
    await expectFold(session)
  })

  it('changes neither types nor call ids, in items and in payloads', async () => {
    const session = await agentOf([calls('t'), 'done'], {
      tools: [simpleTool('t', () => 'x')],
      redact: (value) => ({ ...value, type: 'other', call_id: 'stolen', callId: 'stolen' }),
    }).newSession()
    await session.run('Hi')
    expect((await session.memory.getItems()).map(({ type, call_id }) => [type, call_id])).toEqual([
      ['message', undefined],
      ['function_call', 't'],
      ['function_call_output', 't'],
      ['message', undefined],
    ])
    expect(onlyPayload(session, 'TOOL_CALL')).toMatchObject({ callId: 't' })
    await expectFold(session)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['answers nothing', () => undefined],
    ['answers null', () => null],
    ['answers text', () => 'x'],
    ['answers a list', () => []],
    ['answers a promise', async () => ({})],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['answers what JSON cannot carry', () => ({ at: new Date() })],
  ])('that %s refuses the write', async (_, broken) => {
    const modelClient = scriptedModel(['x'])
    const redact = ((value: JsonObject, type: AgentEventType) =>
      type === 'USER_INPUT' ? broken() : value) as Redact
    const session = await agentOf([], { modelClient, redact }).newSession()
    const error = await rejection(session.run('Hi'), 'INVALID_ARGUMENT')
    expect(error.outcome).toBe('not-committed')
    expect(modelClient.prompts).toEqual([])
    expect(await session.memory.getItems()).toEqual([])
    expect(eventsOf(session, 'USER_INPUT')).toEqual([])
    await expectFold(session)
  })

  it('that fails for an event which changes no memory hides its payload, never the event', async () => {
    const redact: Redact = (value, type) => {
      if (type === 'TOOL_CALL' || type === 'FINAL_OUTPUT') throw new RangeError(SECRET)
      return value
    }
    const session = await agentOf([calls('t'), 'done'], {
      tools: [simpleTool('t', () => 'x')],
      redact,
    }).newSession()
    await session.run('Hi')
    const redacted = 'INVALID_ARGUMENT'
    expect(onlyPayload(session, 'TOOL_CALL')).toEqual({ callId: 't', redacted })
    expect(onlyPayload(session, 'FINAL_OUTPUT')).toEqual({ redacted })
  })

  it('that fails for an answer refuses it; the call can still be answered', async () => {
    let fails = true
    const redact: Redact = (value, type) => {
      if (type !== 'ANSWERED' || !fails) return value
      return { callId: 'x' }
    }
    const asks = simpleTool('asks', (_, { ask }) => ask('?'))
    const session = await agentOf([calls('asks'), 'done'], { tools: [asks], redact }).newSession()
    await session.run('Hi')
    await rejection(session.answer('asks', { reply: 'yes' }), 'INVALID_ARGUMENT')
    expect(await session.pending()).toMatchObject([{ state: 'waiting', request: '?' }])
    fails = false
    await session.answer('asks', { reply: 'yes' })
    expect((await session.run(null)).text).toBe('done')
  })

  it('sees a parsed answer as JSON, whatever it is', async () => {
    const output = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ value: { at: new Date(0) } }),
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    }
    const session = await agentOf(['{}'], {
      output: output as never,
      redact: (value) => value,
    }).newSession()
    expect((await session.run('Hi')).output).toEqual({ at: new Date(0) })
    const at = '1970-01-01T00:00:00.000Z'
    expect(onlyPayload(session, 'FINAL_OUTPUT')).toEqual({ text: '{}', output: { at } })
  })

  it('that takes a summary away leaves an empty one, which shows nothing', async () => {
    const session = await agentOf([], {
      redact: (value) => ('summary' in value ? {} : value),
    }).newSession()
    await session.restore({ items: [userMessage('x')], summary: SECRET })
    expect(await session.memory.snapshot()).toEqual({ items: [userMessage('x')], summary: '' })
    expect(await session.memory.getItems()).toEqual([userMessage('x')])
    await expectFold(session)
  })

  it('serves one-off runs, too', async () => {
    const modelClient = scriptedModel(['x'])
    const seen: string[] = []
    const agent = agentOf([], {
      modelClient,
      redact: mask,
      listeners: [(event) => void seen.push(JSON.stringify(event))],
    })
    await agent.run(SECRET)
    expect(seen.join()).not.toContain(SECRET)
    expect(modelClient.prompts[0]?.items).toEqual([userMessage('***')])
  })
})
