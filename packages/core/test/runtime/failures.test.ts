import {
  type AgentResult,
  type AgentRuntime,
  createAgent,
  HoldfastError,
  InMemoryAgentMemory,
  type MemoryCompressor,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { AgentSession } from '../../src/sessions/agent-session.ts'
import {
  answer,
  assistant,
  call,
  client,
  configFor,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
  watched,
} from './support.ts'

describe('errors of the memory', () => {
  it('lets running calls finish and stores theirs, then rejects with the first error', async () => {
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, {
      before: (method, [callId]) => {
        if (method === 'addToolOutput' && callId !== 'slow') throw new Error(`no room: ${callId}`)
      },
    })
    const gate = deferred<string>()
    const tools = [
      simpleTool('fails', () => 'x'),
      simpleTool('later', async () => {
        await settle()
        return 'y'
      }),
      simpleTool('slow', () => gate.promise),
    ]
    const modelClient = scriptedModel([
      { calls: ['fails', 'later', 'slow'].map((name) => ({ name, callId: name })) },
      'never asked',
    ])
    let ended = false
    const run = createAgent({ modelClient, model: 'm', tools })
      .run('1', { memory })
      .finally(() => {
        ended = true
      })
    run.catch(() => {})
    await settle()
    await settle()
    expect(ended).toBe(false)
    gate.resolve('kept')
    await expect(run).rejects.toThrow('no room: fails')
    expect((await inner.getItems()).at(-1)).toEqual(output('slow', 'kept'))
    expect(modelClient.prompts).toHaveLength(1)
  })

  it('lets the error of storing the input through as it is', async () => {
    const cause = new HoldfastError('STORAGE_FAILED', 'x', { outcome: 'unknown' })
    const memory = watched(new InMemoryAgentMemory(), {
      before: (method) => {
        if (method === 'addUserInput') throw cause
      },
    })
    const modelClient = scriptedModel(['x'])
    const run = createAgent({ modelClient, model: 'm' }).run('1', { memory })
    await expect(run).rejects.toBe(cause)
    expect(modelClient.prompts).toHaveLength(0)
  })

  it('stores no output for calls of which nobody knows whether they are stored', async () => {
    const log: string[] = []
    const memory = watched(new InMemoryAgentMemory(), {
      before: (method) => {
        log.push(method)
        if (method === 'addOutputItems') {
          throw new HoldfastError('STORAGE_FAILED', 'x', { outcome: 'unknown' })
        }
      },
    })
    const modelClient = scriptedModel([{ calls: [{ name: 't' }] }])
    const agent = createAgent({ modelClient, model: 'm', tools: [simpleTool('t', () => 1)] })
    await rejection(agent.run('1', { memory }), 'STORAGE_FAILED')
    expect(log.at(-1)).toBe('addOutputItems')
  })
})

describe('a compressor that fails', () => {
  /** Fails once, when the state has `length` items. */
  const failingAt = (length: number): MemoryCompressor => {
    let failed = false
    return {
      compress(snapshot) {
        if (snapshot.items.length === length && !failed) {
          failed = true
          throw new Error('cannot compress')
        }
        return snapshot
      },
    }
  }
  const start = (length: number) => {
    const ran: string[] = []
    const memory = new InMemoryAgentMemory({ compressor: failingAt(length) })
    const modelClient = scriptedModel([
      {
        calls: [
          { name: 'a', callId: 'a' },
          { name: 'b', callId: 'b' },
        ],
      },
      'end',
    ])
    const tools = ['a', 'b'].map((name) =>
      simpleTool(name, () => {
        ran.push(name)
        return name
      }),
    )
    return { ran, memory, modelClient, agent: createAgent({ modelClient, model: 'm', tools }) }
  }

  it('at the input: the input is kept, the model is not asked, run(null) goes on', async () => {
    const { memory, modelClient, agent } = start(1)
    const error = await rejection(agent.run('1', { memory }), 'COMPRESSION_FAILED')
    expect(error.outcome).toBe('committed')
    expect(modelClient.prompts).toHaveLength(0)
    expect((await agent.run(null, { memory })).text).toBe('end')
    expect((await memory.getItems())[0]).toEqual(userMessage('1'))
    expectPaired(await memory.getItems())
  })

  it('at the calls: no tool starts, and each stored call gets an output', async () => {
    const { memory, ran, agent } = start(3)
    await rejection(agent.run('1', { memory }), 'COMPRESSION_FAILED')
    expect(ran).toEqual([])
    expect((await memory.getItems()).slice(3)).toEqual([
      output('a', expect.stringMatching(/^Not run: /)),
      output('b', expect.stringMatching(/^Not run: /)),
    ])
    expect((await agent.run(null, { memory })).text).toBe('end')
    expectPaired(await memory.getItems())
  })

  it('at an output: the other outputs are stored too, run(null) goes on', async () => {
    const { memory, ran, agent } = start(4)
    await rejection(agent.run('1', { memory }), 'COMPRESSION_FAILED')
    expect(ran).toEqual(['a', 'b'])
    expectPaired(await memory.getItems())
    expect((await agent.run(null, { memory })).text).toBe('end')
    expect(ran).toEqual(['a', 'b'])
  })

  it('at the final answer: the answer is kept', async () => {
    const { memory, agent } = start(6)
    await rejection(agent.run('1', { memory }), 'COMPRESSION_FAILED')
    expect((await memory.getItems()).at(-1)).toEqual(assistant('end'))
  })
})

describe('a model that answers wrong', () => {
  const good = { memoryItems: [call('t')], toolCalls: [{ name: 't', arguments: '{}' }], text: '' }
  const toolCall = (change: object) => ({
    ...good,
    toolCalls: [{ ...good.toolCalls[0], ...change }],
  })

  it.each([
    ['nothing', undefined],
    ['text', 'hello'],
    ['no memoryItems', { ...good, memoryItems: undefined }],
    ['an item that is none', { ...good, memoryItems: [call('t'), 'x'] }],
    ['items that JSON cannot carry', { ...good, memoryItems: [{ ...call('t'), at: new Date() }] }],
    ['no toolCalls', { ...good, toolCalls: undefined }],
    ['a tool call that is none', { ...good, toolCalls: [null] }],
    ['a tool call without name', toolCall({ name: undefined })],
    ['arguments that are no text', toolCall({ arguments: {} })],
    ['a call id that is no text', toolCall({ callId: 7 })],
    ['text that is none', { ...good, text: undefined }],
    ['usage that is none', { ...good, usage: 5 }],
    ['usage without a count', { ...good, usage: { inputTokens: 1, outputTokens: 1 } }],
    ['fewer tool calls than items', { ...good, toolCalls: [] }],
    ['more tool calls than items', { ...good, memoryItems: [] }],
  ])('%s', async (_, result) => {
    const memory = new InMemoryAgentMemory()
    let ran = false
    const tools = [
      simpleTool('t', () => {
        ran = true
      }),
    ]
    const agent = createAgent({ modelClient: client(() => result), model: 'm', tools })
    const error = await rejection(agent.run('1', { memory }), 'MODEL_FAILED')
    expect(error.cause).toBeInstanceOf(Error)
    expect(await memory.getItems()).toEqual([userMessage('1')])
    expect(ran).toBe(false)
  })

  it('by throwing at once', async () => {
    const cause = { odd: true }
    const modelClient = client(() => {
      throw cause
    })
    const run = createAgent({ modelClient, model: 'm' }).run('1')
    expect((await rejection(run, 'MODEL_FAILED')).cause).toBe(cause)
  })

  it('may answer without a promise', async () => {
    expect(
      (await createAgent({ modelClient: client(() => answer('x')), model: 'm' }).run('1')).text,
    ).toBe('x')
  })
})

describe('two runs at once', () => {
  const waiting = () => {
    const gate = deferred<string>()
    const modelClient = scriptedModel([() => gate.promise, 'second', 'third'])
    return { gate, modelClient, agent: createAgent({ modelClient, model: 'm' }) }
  }

  it('on one session: the second is refused before it does anything, the first goes on', async () => {
    const { gate, agent } = waiting()
    const session = await agent.session('s')
    const first = session.run('1')
    await rejection(session.run('2'), 'CONFLICT')
    await settle()
    await rejection(session.run('2'), 'CONFLICT')
    gate.resolve('first')
    expect((await first).text).toBe('first')
    expect(await session.memory.getItems()).toEqual([userMessage('1'), assistant('first')])
    expect((await session.run('2')).text).toBe('second')
  })

  it('on one session, whatever its runtime allows', async () => {
    const gate = deferred<AgentResult>()
    let runs = 0
    const runtime: AgentRuntime = {
      run() {
        runs++
        return gate.promise
      },
    }
    const session = new AgentSession('s', new InMemoryAgentMemory(), configFor(runtime), {
      metadata: { createdAt: 1, updatedAt: 1, attributes: {} },
      events: [],
    })
    session.run('1').catch(() => {})
    await rejection(session.run('2'), 'CONFLICT')
    await settle()
    expect(runs).toBe(1)
  })

  it('over one memory: the second is refused, also through another session object', async () => {
    const memory = new InMemoryAgentMemory()
    const gate = deferred<string>()
    const agent = createAgent({
      modelClient: scriptedModel([() => gate.promise, 'second']),
      model: 'm',
      memorySupplier: () => memory,
    })
    const first = (await agent.session('two handles')).run('1')
    await rejection((await agent.session('two handles')).run('2'), 'CONFLICT')
    await rejection(agent.run('2', { memory }), 'CONFLICT')
    gate.resolve('first')
    await first
    expect((await agent.run('2', { memory })).text).toBe('second')
  })

  it('are allowed again after a run that failed', async () => {
    const session = await createAgent({
      modelClient: scriptedModel([
        () => {
          throw new Error('once')
        },
        'x',
      ]),
      model: 'm',
    }).session('s')
    await rejection(session.run('1'), 'MODEL_FAILED')
    expect((await session.run(null)).text).toBe('x')
  })

  it('of two sessions do not meet', async () => {
    const { gate, agent } = waiting()
    const first = (await agent.session('a')).run('1')
    const second = await agent.session('b')
    await settle()
    expect((await second.run('2')).text).toBe('second')
    gate.resolve('first')
    expect((await first).text).toBe('first')
    expect(await second.memory.getItems()).toEqual([userMessage('2'), assistant('second')])
  })
})
