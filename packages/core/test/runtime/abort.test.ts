import {
  type AgentMemory,
  createAgent,
  InMemoryAgentMemory,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  answer,
  assistant,
  call,
  client,
  deferred,
  expectPaired,
  never,
  output,
  rejection,
  settle,
  simpleTool,
  watched,
} from './support.ts'

type Listener = Parameters<AbortSignal['addEventListener']>[1]

const reason = new Error('the user left')

/** A controller whose signal counts the listeners on it. */
function counted() {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Set<unknown>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  let added = 0
  signal.addEventListener = (type: string, listener: Listener) => {
    added++
    listeners.add(listener)
    add(type, listener)
  }
  signal.removeEventListener = (type: string, listener: Listener) => {
    listeners.delete(listener)
    remove(type, listener)
  }
  return { signal, abort: () => controller.abort(reason), listeners, added: () => added }
}

const twoCalls = {
  calls: [
    { name: 'quick', callId: 'q' },
    { name: 'hang', callId: 'h' },
  ],
}

const hanging = () => {
  const log: string[] = []
  return {
    log,
    tools: [
      simpleTool('quick', () => {
        log.push('quick')
        return 'fine'
      }),
      simpleTool('hang', () => {
        log.push('hang')
        return never()
      }),
    ],
  }
}

describe('AbortSignal', () => {
  it('ends a run before the first write if it has already come', async () => {
    const log: string[] = []
    const memory = watched(new InMemoryAgentMemory(), { before: (method) => log.push(method) })
    const agent = createAgent({ modelClient: scriptedModel(['x']), model: 'm' })
    const error = await rejection(
      agent.run('1', { memory, signal: AbortSignal.abort(reason) }),
      'ABORTED',
    )
    expect(error.cause).toBe(reason)
    expect(log).toEqual([])
  })

  it('writes nothing more when it comes before the input is stored', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, {
      before: (method) => void (method === 'getItems' && signal.abort()),
    })
    const agent = createAgent({ modelClient: scriptedModel(['x']), model: 'm' })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect(await inner.getItems()).toEqual([])
  })

  it('counts before the step limit', async () => {
    const signal = counted()
    const tools = [simpleTool('t', signal.abort)]
    const modelClient = scriptedModel([{ calls: [{ name: 't' }] }])
    const agent = createAgent({ modelClient, model: 'm', tools, maxSteps: 1 })
    await rejection(agent.run('1', { signal: signal.signal }), 'ABORTED')
  })

  it('is not held up by a memory that hangs while it is read', async () => {
    const signal = counted()
    const memory = watched(new InMemoryAgentMemory(), { before: () => never() })
    const run = createAgent({ modelClient: scriptedModel(['x']), model: 'm' }).run('1', {
      memory,
      signal: signal.signal,
    })
    await settle()
    signal.abort()
    await rejection(run, 'ABORTED')
  })

  it('stops between two abandoned outputs, and the next run stores the rest', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    await inner.addOutputItems([call('a', '1'), call('a', '2')])
    const memory = watched(inner, { after: (m) => void (m === 'addToolOutput' && signal.abort()) })
    const agent = createAgent({ modelClient: scriptedModel(['x']), model: 'm' })
    const close = { onPending: 'close' } as const
    await rejection(agent.run('Hi', { memory, signal: signal.signal, ...close }), 'ABORTED')
    expect(await inner.getItems()).toHaveLength(3)
    await agent.run('Hi', { memory: inner, ...close })
    expectPaired(await inner.getItems())
  })

  it('keeps the input that was being stored, and does not ask the model', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, { before: (m) => void (m === 'addUserInput' && signal.abort()) })
    const modelClient = scriptedModel(['x'])
    const agent = createAgent({ modelClient, model: 'm' })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect(modelClient.prompts).toHaveLength(0)
    expect(await inner.getItems()).toEqual([userMessage('1')])
  })

  it('is not held up by a model that hangs, and drops what it answers later', async () => {
    const signal = counted()
    const memory = new InMemoryAgentMemory()
    const late = deferred<unknown>()
    let seen: AbortSignal | undefined
    const modelClient = client((_, options) => {
      seen = options.signal
      return late.promise
    })
    const run = createAgent({ modelClient, model: 'm' }).run('1', {
      memory,
      signal: signal.signal,
    })
    await settle()
    expect(seen?.aborted).toBe(false)
    signal.abort()
    const error = await rejection(run, 'ABORTED')
    expect(error.cause).toBe(reason)
    expect(seen?.reason).toBe(reason)
    late.resolve({ memoryItems: [assistant('late')], toolCalls: [], text: 'late' })
    await settle()
    expect(await memory.getItems()).toEqual([userMessage('1')])
  })

  it('is ABORTED, not MODEL_FAILED, when the client gives up because of it', async () => {
    const signal = counted()
    const modelClient = client(async () => {
      signal.abort()
      throw new Error('fetch was aborted')
    })
    const agent = createAgent({ modelClient, model: 'm' })
    await rejection(agent.run('1', { signal: signal.signal }), 'ABORTED')
  })

  it('drops an answer that comes together with it', async () => {
    const signal = counted()
    const memory = new InMemoryAgentMemory()
    const modelClient = client(async () => {
      queueMicrotask(signal.abort)
      return { memoryItems: [assistant('x')], toolCalls: [], text: 'x' }
    })
    const agent = createAgent({ modelClient, model: 'm' })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect(await memory.getItems()).toEqual([userMessage('1')])
  })

  it('starts no tool when it comes while the calls are being stored, and leaves pairs', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, {
      before: (m) => void (m === 'addOutputItems' && signal.abort()),
    })
    const { tools, log } = hanging()
    const agent = createAgent({ modelClient: scriptedModel([twoCalls]), model: 'm', tools })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect(log).toEqual([])
    const items = await inner.getItems()
    expectPaired(items)
    expect(items.slice(3)).toEqual([
      output('q', expect.stringMatching(/^Aborted/)),
      output('h', expect.stringMatching(/^Aborted/)),
    ])
  })

  it('stores an aborted output for each unfinished call and keeps the finished ones', async () => {
    const signal = counted()
    const memory = new InMemoryAgentMemory()
    const { tools, log } = hanging()
    const agent = createAgent({ modelClient: scriptedModel([twoCalls, 'x']), model: 'm', tools })
    const run = agent.run('1', { memory, signal: signal.signal })
    await settle()
    signal.abort()
    expect((await rejection(run, 'ABORTED')).cause).toBe(reason)
    expect(log).toEqual(['quick', 'hang'])
    expect((await memory.getItems()).slice(3)).toEqual([
      output('q', 'fine'),
      output('h', expect.stringMatching(/^Aborted: /)),
    ])
  })

  it.each(['resolves', 'rejects'])('drops a tool result that %s later', async (how) => {
    const signal = counted()
    const memory = new InMemoryAgentMemory()
    const late = deferred<string>()
    let seen: AbortSignal | undefined
    const tools = [
      simpleTool('late', (_, context) => {
        seen = context.signal
        return late.promise
      }),
    ]
    const modelClient = scriptedModel([{ calls: [{ name: 'late', callId: 'l' }] }])
    const agent = createAgent({ modelClient, model: 'm', tools })
    const run = agent.run('1', { memory, signal: signal.signal })
    await settle()
    signal.abort()
    await rejection(run, 'ABORTED')
    expect(seen?.reason).toBe(reason)
    const before = await memory.getItems()
    if (how === 'resolves') late.resolve('too late')
    else late.reject(new Error('too late'))
    await settle()
    expect(await memory.getItems()).toEqual(before)
    expectPaired(before)
  })

  it('does not start a tool whose arguments were still being checked', async () => {
    const signal = counted()
    const gate = deferred<Record<string, unknown>>()
    let started = false
    const checked = simpleTool('checked', () => {
      started = true
    })
    const tools = [{ ...checked, parse: () => gate.promise }]
    const modelClient = scriptedModel([{ calls: [{ name: 'checked' }] }])
    const run = createAgent({ modelClient, model: 'm', tools }).run('1', {
      signal: signal.signal,
    })
    await settle()
    signal.abort()
    await rejection(run, 'ABORTED')
    gate.resolve({})
    await settle()
    expect(started).toBe(false)
  })

  it('stores the output that was on its way, and asks the model no more', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, { before: (m) => void (m === 'addToolOutput' && signal.abort()) })
    const modelClient = scriptedModel([{ calls: [{ name: 't', callId: 'c' }] }, 'x'])
    const agent = createAgent({ modelClient, model: 'm', tools: [simpleTool('t', () => 'done')] })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect((await inner.getItems()).at(-1)).toEqual(output('c', 'done'))
    expect(modelClient.prompts).toHaveLength(1)
  })

  it('is reported when it comes while the final answer is being stored', async () => {
    const signal = counted()
    const inner = new InMemoryAgentMemory()
    const memory = watched(inner, { after: (m) => void (m === 'addOutputItems' && signal.abort()) })
    const agent = createAgent({ modelClient: scriptedModel(['x']), model: 'm' })
    await rejection(agent.run('1', { memory, signal: signal.signal }), 'ABORTED')
    expect(await inner.getItems()).toEqual([userMessage('1'), assistant('x')])
  })

  it('shows the error of the memory when the aborted outputs cannot be stored', async () => {
    const signal = counted()
    const memory = watched(new InMemoryAgentMemory(), {
      before: (method) => {
        if (method === 'addToolOutput') throw new Error('disk full')
      },
    })
    const tools = [simpleTool('hang', () => never())]
    const modelClient = scriptedModel([{ calls: [{ name: 'hang' }] }])
    const run = createAgent({ modelClient, model: 'm', tools }).run('1', {
      memory,
      signal: signal.signal,
    })
    await settle()
    signal.abort()
    await expect(run).rejects.toThrow('disk full')
  })

  it('leaves a session that goes on', async () => {
    const signal = counted()
    const { tools } = hanging()
    const modelClient = scriptedModel([twoCalls, 'and on'])
    const session = await createAgent({ modelClient, model: 'm', tools }).session('s')
    const run = session.run('1', { signal: signal.signal })
    await settle()
    signal.abort()
    await rejection(run, 'ABORTED')
    expect((await session.run(null)).text).toBe('and on')
    expectPaired(await session.memory.getItems())
  })
})

describe('listeners on the caller’s signal', () => {
  const memoryThatFails = (): AgentMemory =>
    watched(new InMemoryAgentMemory(), {
      before: (method) => {
        if (method === 'addUserInput') throw new Error('disk full')
      },
    })

  it.each([
    ['success', async () => answer('x'), undefined],
    ['a failing model', async () => expect.fail('model'), undefined],
    ['a failing memory', async () => answer('x'), memoryThatFails()],
  ])('are taken off after %s', async (_, create, memory) => {
    const { signal, listeners, added } = counted()
    const agent = createAgent({ modelClient: client(create), model: 'm' })
    await agent.run('1', { signal, ...(memory && { memory }) }).catch(() => {})
    expect(added()).toBe(1)
    expect(listeners.size).toBe(0)
  })

  it('are taken off after an abort, and those of models and tools never get there', async () => {
    const { signal, listeners, abort, added } = counted()
    const tools = [
      simpleTool('listen', (_, context) => {
        context.signal.addEventListener('abort', () => {})
        return never()
      }),
    ]
    const modelClient = client((_, options) => {
      options.signal?.addEventListener('abort', () => {})
      return {
        memoryItems: [call('listen')],
        toolCalls: [{ name: 'listen', arguments: '{}' }],
        text: '',
      }
    })
    const run = createAgent({ modelClient, model: 'm', tools }).run('1', { signal })
    await settle()
    expect(added()).toBe(1)
    abort()
    await rejection(run, 'ABORTED')
    expect(listeners.size).toBe(0)
  })
})
