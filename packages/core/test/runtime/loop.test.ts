import {
  type AgentMemory,
  content,
  createAgent,
  functionCallOutput,
  InMemoryAgentMemory,
  scriptedModel,
  userMessage,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  answer,
  assistant,
  call,
  client,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
  watched,
} from './support.ts'

const echo = simpleTool('echo', (args) => args['text'])

describe('one run', () => {
  it('answers text and keeps input and answer in memory', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = createAgent({ modelClient: scriptedModel(['Hello.']), model: 'm' })
    expect(await agent.run('Hi', { memory })).toEqual({
      status: 'completed',
      text: 'Hello.',
      steps: 1,
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      interruptions: [],
    })
    expect(await memory.getItems()).toEqual([userMessage('Hi'), assistant('Hello.')])
  })

  it('hands the model what was configured, and nothing else', async () => {
    const modelClient = scriptedModel(['a', 'b'])
    await createAgent({
      modelClient,
      model: 'm',
      instructions: 'Be brief.',
      tools: [echo],
      settings: { temperature: 0 },
    }).run('Hi')
    expect(modelClient.prompts[0]).toEqual({
      model: 'm',
      instructions: 'Be brief.',
      items: [userMessage('Hi')],
      tools: [{ name: 'echo', description: 'Runs echo.', parameters: { type: 'object' } }],
      settings: { temperature: 0 },
    })
    await createAgent({ modelClient, model: 'n' }).run('Hi')
    expect(modelClient.prompts[1]).toEqual({ model: 'n', items: [userMessage('Hi')], tools: [] })
  })

  it('sums usage over the steps, also where a step has none', async () => {
    const calls = [{ name: 'echo' }]
    const modelClient = scriptedModel([
      { calls, usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },
      { calls },
      { text: 'x', usage: { inputTokens: 10, outputTokens: 20, totalTokens: 30 } },
    ])
    const result = await createAgent({ modelClient, model: 'm', tools: [echo] }).run('Hi')
    expect(result.usage).toEqual({ inputTokens: 11, outputTokens: 22, totalTokens: 33 })
    expect(result.steps).toBe(3)
  })

  it('takes null as no new input, and items as they are', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.addUserInput('before')
    const modelClient = scriptedModel(['a', 'b', 'c', 'd'])
    const agent = createAgent({ modelClient, model: 'm' })
    await agent.run(null, { memory })
    expect(modelClient.prompts[0]?.items).toEqual([userMessage('before')])
    await agent.run([userMessage('x'), { type: 'odd', n: 1 }], { memory })
    expect(modelClient.prompts[1]?.items.slice(2)).toEqual([
      userMessage('x'),
      { type: 'odd', n: 1 },
    ])
    await agent.run(userMessage('y'), { memory })
    await agent.run([], { memory })
    expect(modelClient.prompts[3]?.items.slice(-2)).toEqual([userMessage('y'), assistant('c')])
  })

  it('uses a memory of its own for each run without one', async () => {
    const modelClient = scriptedModel(['a', 'b'])
    const agent = createAgent({ modelClient, model: 'm' })
    await agent.run('one')
    await agent.run('two')
    expect(modelClient.prompts[1]?.items).toEqual([userMessage('two')])
  })

  it('takes its copy of the input at the call', async () => {
    const memory = new InMemoryAgentMemory()
    const input = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] }
    const run = createAgent({ modelClient: scriptedModel(['x']), model: 'm' }).run(input, {
      memory,
    })
    input.role = 'system'
    await run
    expect((await memory.getItems())[0]).toEqual(userMessage('a'))
  })

  it('keeps no history of its own: what is added or removed between two steps counts', async () => {
    const memory = new InMemoryAgentMemory()
    const modelClient = scriptedModel([{ calls: [{ name: 'change' }] }, 'done'])
    const change = simpleTool('change', async () => {
      await memory.clear()
      await memory.addUserInput('from outside')
    })
    await createAgent({ modelClient, model: 'm', tools: [change] }).run('Hi', { memory })
    expect(modelClient.prompts[1]?.items[0]).toEqual(userMessage('from outside'))
    expect(JSON.stringify(modelClient.prompts[1])).not.toContain('Hi')
  })

  it('shows the model the summary of the memory', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.setSummary('Earlier: nothing.')
    const modelClient = scriptedModel(['x'])
    await createAgent({ modelClient, model: 'm' }).run('Hi', { memory })
    expect(modelClient.prompts[0]?.items[0]).toMatchObject({ role: 'system' })
  })

  it('hands out prompts whose change changes nothing', async () => {
    const memory = new InMemoryAgentMemory()
    const settings = { nested: { a: 1 } }
    const seen: unknown[] = []
    const modelClient = client((prompt) => {
      seen.push(structuredClone(prompt))
      const open = prompt as unknown as {
        items: { role: string }[]
        tools: { parameters: Record<string, unknown> }[]
        settings: { nested: { a: number } }
      }
      for (const item of open.items) item.role = 'changed'
      for (const { parameters } of open.tools) parameters['type'] = 'changed'
      open.settings.nested.a = 2
      open.items.length = open.tools.length = 0
      return answer('x')
    })
    const agent = createAgent({ modelClient, model: 'm', settings, tools: [echo] })
    await agent.run('Hi', { memory })
    settings.nested.a = 3
    await agent.run(null, { memory })
    expect(seen[1]).toEqual(seen[0])
    expect(await memory.getItems()).toEqual([userMessage('Hi')])
  })
})

describe('the order of writes', () => {
  it('stores input, then calls, then outputs, each before what depends on it', async () => {
    const log: string[] = []
    const memory = watched(new InMemoryAgentMemory(), {
      before: (method) => log.push(`${method} begins`),
      after: (method) => log.push(`${method} is stored`),
    })
    const modelClient = scriptedModel([
      () => {
        log.push('model 0')
        return { calls: [{ name: 'slow' }, { name: 'fast' }] }
      },
      () => {
        log.push('model 1')
        return 'done'
      },
    ])
    const tools = ['slow', 'fast'].map((name) =>
      simpleTool(name, async () => {
        log.push(`${name} starts`)
      }),
    )
    await createAgent({ modelClient, model: 'm', tools }).run('Hi', { memory })
    const at = (entry: string, from = 0) => {
      const index = log.indexOf(entry, from)
      expect(index, `${entry} in ${log.join(', ')}`).toBeGreaterThanOrEqual(0)
      return index
    }
    expect(at('addUserInput is stored')).toBeLessThan(at('model 0'))
    expect(at('addOutputItems is stored')).toBeLessThan(at('slow starts'))
    expect(at('addOutputItems is stored')).toBeLessThan(at('fast starts'))
    const outputs = log.flatMap((entry, i) => (entry === 'addToolOutput is stored' ? [i] : []))
    expect(outputs).toHaveLength(2)
    expect(Math.max(...outputs)).toBeLessThan(at('model 1'))
    expect(at('getItems begins', Math.max(...outputs))).toBeLessThan(at('model 1'))
  })

  it('keeps the input when the model call fails', async () => {
    const memory = new InMemoryAgentMemory()
    const cause = new Error('no network')
    const modelClient = client(() => Promise.reject(cause))
    const error = await rejection(
      createAgent({ modelClient, model: 'm' }).run('Hi', { memory }),
      'MODEL_FAILED',
    )
    expect(error.cause).toBe(cause)
    expect(error.message).not.toContain('no network')
    expect(await memory.getItems()).toEqual([userMessage('Hi')])
  })

  it('never starts a tool whose call could not be stored', async () => {
    let started = 0
    const memory = watched(new InMemoryAgentMemory(), {
      before: (method) => {
        if (method === 'addOutputItems') throw new Error('disk full')
      },
    })
    const modelClient = scriptedModel([{ calls: [{ name: 'count' }] }])
    const tools = [simpleTool('count', () => ++started)]
    await expect(
      createAgent({ modelClient, model: 'm', tools }).run('Hi', { memory }),
    ).rejects.toThrow('disk full')
    expect(started).toBe(0)
    expect(await memory.getItems()).toEqual([userMessage('Hi')])
  })

  it('stores the output of a fast tool while the slow one runs', async () => {
    const memory = new InMemoryAgentMemory()
    const slow = deferred<string>()
    const tools = [simpleTool('slow', () => slow.promise), simpleTool('fast', () => 'quick')]
    const modelClient = scriptedModel([
      {
        calls: [
          { name: 'slow', callId: 's' },
          { name: 'fast', callId: 'f' },
        ],
      },
      'done',
    ])
    const run = createAgent({ modelClient, model: 'm', tools }).run('Hi', { memory })
    await settle()
    expect((await memory.getItems()).slice(3)).toEqual([output('f', 'quick')])
    expect(modelClient.prompts).toHaveLength(1)
    slow.resolve('late')
    await run
    expect((await memory.getItems()).slice(3, 5)).toEqual([
      output('f', 'quick'),
      output('s', 'late'),
    ])
  })

  it('runs the tools of one answer in parallel', async () => {
    const both = [deferred(), deferred()]
    const tools = [0, 1].map((i) =>
      simpleTool(`t${i}`, async () => {
        both[i]?.resolve()
        await both[1 - i]?.promise
      }),
    )
    const modelClient = scriptedModel([{ calls: [{ name: 't0' }, { name: 't1' }] }, 'done'])
    expect((await createAgent({ modelClient, model: 'm', tools }).run('Hi')).text).toBe('done')
  })

  it('keeps a result when a later model call fails, and does not run the tool again', async () => {
    const memory = new InMemoryAgentMemory()
    let ran = 0
    const modelClient = scriptedModel([
      { calls: [{ name: 'pay' }] },
      () => {
        throw new Error('overloaded')
      },
      'paid',
    ])
    const tools = [simpleTool('pay', () => `receipt ${++ran}`)]
    const agent = createAgent({ modelClient, model: 'm', tools })
    await rejection(agent.run('Pay', { memory }), 'MODEL_FAILED')
    const before = await memory.getItems()
    expectPaired(before)
    expect(before.at(-1)).toEqual(output('tool_step_0_0', 'receipt 1'))
    expect((await agent.run(null, { memory })).text).toBe('paid')
    expect(modelClient.prompts[2]?.items).toEqual(before)
    expect(ran).toBe(1)
  })

  it('works over a window that drops the calls it has just stored', async () => {
    const memory = new InMemoryAgentMemory({ compressor: new WindowedMemoryCompressor(1) })
    const calls = [
      { name: 'echo', arguments: { text: 'a' } },
      { name: 'echo', arguments: { text: 'b' } },
    ]
    const modelClient = scriptedModel([{ calls }, 'done'])
    const agent = createAgent({ modelClient, model: 'm', tools: [echo] })
    expect((await agent.run('Hi', { memory })).text).toBe('done')
    expect(await memory.getItems()).toEqual([assistant('done')])
    // An output without its call is shown to no model.
    expect(modelClient.prompts[1]?.items).toEqual([])
  })
})

describe('after a kill in the middle of a tool', () => {
  const killed = async (): Promise<AgentMemory> => {
    const memory = new InMemoryAgentMemory()
    await memory.addUserInput('Hi')
    await memory.addOutputItems([call('a', '1'), call('b', '2'), call('c', '3')])
    await memory.addToolOutput('2', 'done')
    return memory
  }

  it('stores one abandoned output for each open call before the input, where it is told to', async () => {
    const memory = await killed()
    const modelClient = scriptedModel(['ok'])
    await createAgent({ modelClient, model: 'm' }).run('Go on', {
      memory,
      onPending: 'close',
    })
    const shown = modelClient.prompts[0]?.items ?? []
    expectPaired(shown)
    expect((await memory.getItems()).slice(5, 8)).toEqual([
      output('1', expect.stringMatching(/^Abandoned: .*unknown/)),
      output('3', expect.stringMatching(/^Abandoned: /)),
      userMessage('Go on'),
    ])
  })

  it('does so only once', async () => {
    const memory = await killed()
    const agent = createAgent({ modelClient: scriptedModel(['a', 'b']), model: 'm' })
    await agent.run(null, { memory, onPending: 'close' })
    await agent.run(null, { memory, onPending: 'close' })
    expectPaired(await memory.getItems())
  })

  it('is PENDING_CALLS for new input, and reported to a run without, which asks no model', async () => {
    const memory = await killed()
    const before = await memory.getItems()
    const modelClient = scriptedModel(['a'])
    const agent = createAgent({ modelClient, model: 'm' })
    const error = await rejection(agent.run('Go on', { memory }), 'PENDING_CALLS')
    expect(error.outcome).toBe('not-committed')
    const result = await agent.run(null, { memory })
    expect(result).toMatchObject({ status: 'interrupted', steps: 0, text: '' })
    expect(result.interruptions.map(({ callId, state }) => [callId, state])).toEqual([
      ['1', 'unknown'],
      ['3', 'unknown'],
    ])
    expect(await memory.getItems()).toEqual(before)
    expect(modelClient.prompts).toEqual([])
  })

  it('leaves a call alone that the input itself answers', async () => {
    const memory = await killed()
    const agent = createAgent({ modelClient: scriptedModel(['a', 'b']), model: 'm' })
    await agent.run([functionCallOutput('1', 'by hand'), functionCallOutput('3', 'too')], {
      memory,
    })
    expectPaired(await memory.getItems())
    await memory.addOutputItems([call('d', '4')])
    await agent.run(functionCallOutput('4', 'by hand'), { memory })
    expectPaired(await memory.getItems())
  })

  it('passes over foreign calls that have no id to answer', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.addOutputItems([call('a'), call('b', ' '), { ...call('c'), call_id: 7 }])
    await createAgent({ modelClient: scriptedModel(['ok']), model: 'm' }).run('x', { memory })
    expect(await memory.getItems()).toHaveLength(5)
  })
})

describe('call ids', () => {
  const idsOf = async (memory: AgentMemory) =>
    (await memory.getItems())
      .filter((item) => item.type === 'function_call')
      .map((item) => item['call_id'])

  const scripted = (...callIds: (string | undefined)[]) => ({
    calls: callIds.map((callId, index) => ({
      name: 'echo',
      arguments: { text: `${index}` },
      ...(callId !== undefined && { callId }),
    })),
  })

  it('fills missing, blank and repeated ids, unique over steps and runs', async () => {
    const memory = new InMemoryAgentMemory()
    const modelClient = scriptedModel([
      scripted('call_0', undefined, ' ', 'call_0'),
      scripted('call_0', 'fine'),
      'end of run 1',
      scripted('call_0', undefined, 'fine'),
      scripted('call_0'),
      'end of run 2',
      scripted(undefined),
      'end of run 3',
    ])
    const agent = createAgent({ modelClient, model: 'm', tools: [echo] })
    await agent.run('1', { memory })
    expect(await idsOf(memory)).toEqual([
      'call_0',
      'tool_step_0_1',
      'tool_step_0_2',
      'tool_step_0_3',
      'tool_step_1_0',
      'fine',
    ])
    await agent.run('2', { memory })
    await agent.run('3', { memory })
    expect((await idsOf(memory)).slice(6)).toEqual([
      'tool_step_0_0',
      'tool_step_0_1_2',
      'tool_step_0_2_2',
      'tool_step_1_0_2',
      'tool_step_0_0_2',
    ])
    const items = await memory.getItems()
    expectPaired(items)
    expect(items).toContainEqual(output('tool_step_0_3', '3'))
  })

  it('counts a third time, and does not reuse an id that a later call of the batch takes', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.addOutputItems([call('echo', 'tool_step_0_0'), call('echo', 'tool_step_0_0_2')])
    for (const id of ['tool_step_0_0', 'tool_step_0_0_2']) await memory.addToolOutput(id, 'x')
    const modelClient = scriptedModel([scripted(undefined, 'tool_step_0_0_3'), 'x'])
    await createAgent({ modelClient, model: 'm', tools: [echo] }).run('1', { memory })
    expect((await idsOf(memory)).slice(2)).toEqual(['tool_step_0_0_3', 'tool_step_0_1'])
  })

  it('knows ids of items of other types', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.addOutputItems([{ type: 'custom_tool_call', call_id: 'x' }])
    const modelClient = scriptedModel([scripted('x'), 'end'])
    await createAgent({ modelClient, model: 'm', tools: [echo] }).run('1', { memory })
    expect(await idsOf(memory)).toEqual(['tool_step_0_0'])
  })

  it('gives the i-th tool call to the i-th function_call item, and tells the tool its id', async () => {
    const memory = new InMemoryAgentMemory()
    const seen: unknown[] = []
    const modelClient = client((prompt) =>
      prompt.items.length > 1
        ? answer('end')
        : {
            memoryItems: [
              { type: 'reasoning' },
              call('note', 'item'),
              assistant('…'),
              call('note'),
              call('note', 'from item'),
            ],
            toolCalls: [
              { name: 'note', arguments: '{"n":0}', callId: 'call' },
              { name: 'note', arguments: '{"n":1}', callId: null },
              { name: 'note', arguments: '{"n":2}' },
            ],
            text: '',
          },
    )
    const note = simpleTool('note', (args, { callId, step }) => {
      seen.push([args['n'], callId, step])
    })
    await createAgent({ modelClient, model: 'm', tools: [note] }).run('1', { memory })
    expect(seen).toEqual([
      [0, 'call', 0],
      [1, 'tool_step_0_1', 0],
      [2, 'from item', 0],
    ])
    expect((await memory.getItems()).map((item) => item.type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'message',
      'function_call',
      'function_call',
      ...Array.from({ length: 3 }, () => 'function_call_output'),
    ])
    expectPaired(await memory.getItems())
  })

  it('leaves the model its own result', async () => {
    const result = {
      memoryItems: [call('echo')],
      toolCalls: [{ name: 'echo', arguments: '{}' }],
      text: '',
    }
    const modelClient = client(({ items }) => (items.length > 1 ? answer('x') : result))
    await createAgent({ modelClient, model: 'm', tools: [echo] }).run('1')
    expect(result.memoryItems).toEqual([call('echo')])
  })
})

describe('what a tool answers', () => {
  const outputOf = async (value: () => unknown) => {
    const memory = new InMemoryAgentMemory()
    const modelClient = scriptedModel([{ calls: [{ name: 't', callId: 'c' }] }, 'x'])
    const tools = [simpleTool('t', value)]
    await createAgent({ modelClient, model: 'm', tools }).run('1', { memory })
    return (await memory.getItems()).find((item) => item.type === 'function_call_output')?.[
      'output'
    ]
  }

  it.each([
    ['text as it is', 'a "b"\n', 'a "b"\n'],
    ['undefined', undefined, ''],
    ['null', null, 'null'],
    ['a number', 4, '4'],
    ['false', false, 'false'],
    ['an object', { a: [1, { b: null }], u: undefined }, '{"a":[1,{"b":null}]}'],
    ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a date in an array', [new Date(0), undefined], '["1970-01-01T00:00:00.000Z",null]'],
    ['a key __proto__', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['no prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['a promise', Promise.resolve('later'), 'later'],
    ['parts', content([{ type: 'input_text', text: 'a' }]), [{ type: 'input_text', text: 'a' }]],
  ])('%s', async (_, value, stored) => {
    expect(await outputOf(() => value)).toEqual(stored)
  })

  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  class Row {}
  it.each([
    ['NaN', { a: Number.NaN }, /a is NaN/],
    ['a bigint', 1n, /bigint/],
    ['a function', { f: () => 1 }, /f is .*function/],
    ['a symbol', [Symbol('s')], /symbol/],
    ['a Map', new Map([[1, 2]]), /an instance of Map/],
    ['bytes', { deep: [new Uint8Array(2)] }, /Uint8Array/],
    ['a class instance', new Row(), /an instance of Row/],
    ['a cycle', cycle, /circular/i],
    ['wrong parts', null, /content/],
  ])('an error the model sees for %s', async (name, value, message) => {
    const shown = await outputOf(() => (name === 'wrong parts' ? content('x' as never) : value))
    expect(shown).toMatch(/^Error: /)
    expect(shown).toMatch(message)
  })

  it.each([
    ['an error', new RangeError('too far'), 'Error: too far'],
    ['text', 'just text', 'Error: just text'],
    ['undefined', undefined, 'Error: undefined'],
    ['an instance of Object', { code: 1 }, 'Error: an instance of Object'],
  ])('an error the model sees when %s is thrown', async (_, value, shown) => {
    const failing = () => {
      throw value
    }
    expect(await outputOf(failing)).toBe(shown)
    expect(await outputOf(async () => failing())).toBe(shown)
  })

  it('survives an error that cannot be shown', async () => {
    const nasty = {
      get message() {
        throw new Error('no')
      },
    }
    expect(
      await outputOf(() => {
        throw nasty
      }),
    ).toMatch(/^Error: /)
  })

  it('tells the model of an unknown tool and of bad arguments, and goes on', async () => {
    const modelClient = scriptedModel([
      {
        calls: [
          { name: 'nope' },
          { name: 'echo', arguments: 'not json' },
          { name: 'echo', arguments: '[1]' },
          { name: 'echo', arguments: '' },
        ],
      },
      'done',
    ])
    const agent = createAgent({ modelClient, model: 'm', tools: [echo] })
    expect((await agent.run('1')).text).toBe('done')
    const outputs = modelClient.prompts[1]?.items
      .filter((item) => item.type === 'function_call_output')
      .sort((a, b) => (String(a['call_id']) < String(b['call_id']) ? -1 : 1))
      .map((item) => item['output'])
    expect(outputs).toEqual([
      expect.stringMatching(/^Error: there is no tool named "nope"; available: echo\./),
      expect.stringMatching(/^Error: .*not JSON/),
      expect.stringMatching(/^Error: .*object/),
      '',
    ])
    const none = scriptedModel([{ calls: [{ name: 'nope' }] }, 'done'])
    await createAgent({ modelClient: none, model: 'm' }).run('1')
    expect(JSON.stringify(none.prompts[1]?.items)).toContain('available: none')
  })

  it('gives tools the context of their run', async () => {
    const seen: unknown[] = []
    const look = simpleTool('look', (_, context) => void seen.push(context))
    const modelClient = scriptedModel(
      ['', '', '', ''].map((_, i) => (i % 2 ? 'x' : { calls: [{ name: 'look' }] })),
    )
    const agent = createAgent({ modelClient, model: 'm', tools: [look] })
    const context = { user: 7 }
    await agent.run('1', { context })
    await (await agent.session('s')).run('1')
    const common = {
      callId: 'tool_step_0_0',
      step: 0,
      signal: expect.any(AbortSignal),
      ask: expect.any(Function),
    }
    expect(seen).toEqual([
      { ...common, context },
      { ...common, context: undefined, sessionId: 's' },
    ])
    expect((seen[0] as { context: unknown }).context).toBe(context)
  })
})

describe('the step limit', () => {
  const looping = () =>
    scriptedModel(
      Array.from({ length: 60 }, () => ({
        text: 'more',
        calls: [{ name: 'echo' }],
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      })),
    )

  it('ends a run that never finishes, with what was done, and leaves pairs', async () => {
    const memory = new InMemoryAgentMemory()
    const modelClient = looping()
    const agent = createAgent({ modelClient, model: 'm', tools: [echo], maxSteps: 3 })
    const error = await rejection(agent.run('1', { memory }), 'LIMIT_EXCEEDED')
    expect(error).toMatchObject({
      limit: 'steps',
      partial: {
        text: 'more',
        steps: 3,
        usage: { inputTokens: 3, outputTokens: 3, totalTokens: 6 },
      },
    })
    expect(modelClient.prompts).toHaveLength(3)
    expectPaired(await memory.getItems())
    expect(await memory.getItems()).toHaveLength(1 + 3 * 3)
  })

  it('is 50 by default, and each run may set its own', async () => {
    const modelClient = looping()
    const agent = createAgent({ modelClient, model: 'm', tools: [echo] })
    await rejection(agent.run('1', { maxSteps: 1 }), 'LIMIT_EXCEEDED')
    expect(modelClient.prompts).toHaveLength(1)
    await rejection(agent.run('1'), 'LIMIT_EXCEEDED')
    expect(modelClient.prompts).toHaveLength(51)
  })

  it('counts the final answer as a step', async () => {
    const agent = createAgent({ modelClient: scriptedModel(['x']), model: 'm', maxSteps: 1 })
    expect((await agent.run('1')).text).toBe('x')
  })
})
