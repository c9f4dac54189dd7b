import {
  createAgent,
  InMemoryAgentMemory,
  InMemoryAgentSessionStore,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  agentOf,
  asking,
  calls,
  durable,
  eventsOf,
  texts,
  WatchedStore,
} from '../sessions/session-support.ts'
import {
  assistant,
  expectPaired,
  never,
  output,
  rejection,
  settle,
  simpleTool,
  thrown,
} from './support.ts'

describe('a structured answer', () => {
  const schema = z.object({ n: z.number().transform((n) => n + 1) })

  it('is parsed by the schema, shown to the model as JSON Schema, and stored as the model said it', async () => {
    const modelClient = scriptedModel([calls('t'), '{"n":1}'])
    const session = await agentOf([], {
      modelClient,
      output: schema,
      tools: [simpleTool('t', () => 'x')],
    }).newSession()
    const result = await session.run('Hi')
    expect(result).toMatchObject({ text: '{"n":1}', output: { n: 2 } })
    for (const { outputSchema } of modelClient.prompts) {
      expect(outputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'number' } } })
    }
    expect((await session.memory.getItems()).at(-1)).toEqual(assistant('{"n":1}'))
    expect(eventsOf(session, 'FINAL_OUTPUT')[0]?.payload['output']).toEqual({ n: 2 })
  })

  it.each(['no JSON', '{"n":"x"}', '[]', ''])(
    'that does not fit is MODEL_FAILED: %s',
    async (text) => {
      const session = await agentOf([text, '{"n":1}'], { output: schema }).newSession()
      const error = await rejection(session.run('Hi'), 'MODEL_FAILED')
      expect(error.cause).toBeInstanceOf(Error)
      expect(eventsOf(session, 'FINAL_OUTPUT')).toEqual([])
      // It was said, so memory has it; the next run may ask for better.
      expect(await session.memory.getItems()).toHaveLength(2)
      expect((await session.run('As JSON, please')).output).toEqual({ n: 2 })
    },
  )

  it('whose check hangs gives way to an abort', async () => {
    const hangs = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: never,
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      },
    }
    const abort = new AbortController()
    const run = agentOf(['{}'], { output: hangs as never }).run('Hi', { signal: abort.signal })
    await settle()
    abort.abort()
    await rejection(run, 'ABORTED')
  })

  it('with a plain JSON Schema is any object; without one there is no output', async () => {
    expect((await agentOf(['{"a":[1]}'], { output: { type: 'object' } }).run('x')).output).toEqual({
      a: [1],
    })
    expect(await agentOf(['{}']).run('x')).not.toHaveProperty('output')
    thrown(() => agentOf([], { output: 5 as never }), 'INVALID_ARGUMENT')
  })
})

describe('instructions', () => {
  it('may be made for each step, out of the context', async () => {
    const modelClient = scriptedModel([calls('t'), 'done', 'one-off'])
    const seen: unknown[] = []
    const agent = createAgent({
      modelClient,
      model: 'm',
      tools: [simpleTool('t', () => 'x')],
      instructions: async (info) => {
        seen.push(info)
        return `For ${info.context}, step ${info.step}`
      },
    })
    const session = await agent.newSession({ id: 'instructed' })
    await session.run('Hi', { context: 'Ann' })
    await agent.run('Hi', { context: 'Bob' })
    expect(modelClient.prompts.map(({ instructions }) => instructions)).toEqual([
      'For Ann, step 0',
      'For Ann, step 1',
      'For Bob, step 0',
    ])
    expect(seen[1]).toEqual({ sessionId: 'instructed', step: 1, context: 'Ann' })
    expect(seen[2]).toEqual({ sessionId: undefined, step: 0, context: 'Bob' })
    expect(JSON.stringify(await session.snapshot())).not.toContain('Ann')
  })

  it('may be none for a step', async () => {
    for (const none of [undefined, null]) {
      const modelClient = scriptedModel(['done'])
      const agent = createAgent({ modelClient, model: 'm', instructions: () => none as undefined })
      await agent.run('Hi')
      expect(modelClient.prompts[0]).not.toHaveProperty('instructions')
    }
  })

  it('that throw end the run as they are; that hang give way to an abort', async () => {
    const cause = new Error('no user')
    const instructions = () => {
      throw cause
    }
    const memory = new InMemoryAgentMemory()
    await expect(agentOf(['x'], { instructions }).run('Hi', { memory })).rejects.toBe(cause)
    expect(await memory.getItems()).toEqual([userMessage('Hi')])
    const abort = new AbortController()
    const run = agentOf(['x'], { instructions: never }).run('Hi', { signal: abort.signal })
    await settle()
    abort.abort()
    await rejection(run, 'ABORTED')
  })
})

describe('a sub-agent as a tool', () => {
  const asks = (id: string, input: unknown = 'sub task') => ({
    calls: [{ name: 'sub', callId: id, arguments: { input } as never }],
  })
  const options = { name: 'sub', description: 'Does it.' }

  it('works in a memory of its own, fresh for each call, with the context of the run', async () => {
    const contexts: unknown[] = []
    const look = simpleTool(
      'look',
      (_, { context, sessionId }) => void contexts.push(context, sessionId),
    )
    const inner = scriptedModel([calls('look'), 'sub answer', 'second'])
    const sub = createAgent({ modelClient: inner, model: 'm', tools: [look] })
    const outer = scriptedModel([asks('a'), asks('b'), 'done'])
    const session = await agentOf([], {
      modelClient: outer,
      tools: [sub.asTool(options)],
    }).newSession()
    await session.run('Hi', { context: 'ctx' })
    expect(contexts).toEqual(['ctx', undefined])
    expect(inner.prompts[2]?.items).toEqual([userMessage('sub task')])
    const items = await session.memory.getItems()
    expect(items).toContainEqual(output('a', 'sub answer'))
    expect(items).toContainEqual(output('b', 'second'))
    expect(outer.prompts[0]?.tools[0]).toMatchObject({ name: 'sub', description: 'Does it.' })
  })

  it('answers its parsed output, and the model sees its errors', async () => {
    const sub = agentOf(['{"a":1}'], { output: { type: 'object' } })
    const tools = [sub.asTool(options)]
    const session = await agentOf([asks('a'), asks('b', 5), asks('c'), 'done'], {
      tools,
    }).newSession()
    expect((await session.run('Hi')).text).toBe('done')
    const items = await session.memory.getItems()
    expect(items).toContainEqual(output('a', '{"a":1}'))
    expect(items).toContainEqual(output('b', 'Error: input must be a string.'))
    expect(items).toContainEqual(
      output('c', expect.stringMatching(/^Error: The model call of step 0/)),
    )
  })

  it('cannot be asked for an approval here', async () => {
    const sub = agentOf([calls('asks')], { tools: [asking('?')] })
    const session = await agentOf([asks('a'), 'done'], {
      tools: [sub.asTool(options)],
    }).newSession()
    expect((await session.run('Hi')).text).toBe('done')
    const items = await session.memory.getItems()
    expect(items).toContainEqual(output('a', expect.stringContaining('waits for an approval')))
  })

  it('is aborted with the run', async () => {
    let told: AbortSignal | undefined
    const slow = simpleTool('slow', (_, { signal }) => {
      told = signal
      return never()
    })
    const sub = agentOf([calls('slow')], { tools: [slow] })
    const abort = new AbortController()
    const memory = new InMemoryAgentMemory()
    const agent = agentOf([asks('a')], { tools: [sub.asTool(options)] })
    const run = agent.run('Hi', { memory, signal: abort.signal })
    await settle()
    abort.abort()
    await rejection(run, 'ABORTED')
    expect(told?.aborted).toBe(true)
    expectPaired(await memory.getItems())
  })

  it('remembers where it has a session, which is saved before the next call opens it', async () => {
    const store = new WatchedStore(new InMemoryAgentSessionStore())
    store.before = settle
    const inner = scriptedModel(['one', 'two', 'three'])
    const { memorySupplier } = durable().open().stores
    const sub = createAgent({ modelClient: inner, model: 'm', sessionStore: store, memorySupplier })
    const tools = [sub.asTool({ ...options, sessionId: ({ context }) => `of ${context}` })]
    const agent = agentOf([asks('a'), asks('b'), 'done'], { tools })
    const session = await agent.newSession()
    await session.run('Hi', { context: 'Ann' })
    expect(texts(inner.prompts[1]?.items ?? [])).toEqual(['sub task', 'one', 'sub task'])
    expect(await session.memory.getItems()).toContainEqual(output('b', 'two'))
    const again = await sub.resumeSession('of Ann')
    expect(eventsOf(again, 'ERROR')).toEqual([])
    expect(await again.memory.getItems()).toHaveLength(4)
  })

  it('answers although its save fails', async () => {
    const store = new WatchedStore()
    store.before = () => {
      throw new Error('down')
    }
    const seen: unknown[] = []
    const sub = agentOf(['one'], {
      sessionStore: store,
      listeners: [({ type, payload }) => void (type === 'ERROR' && seen.push(payload['during']))],
    })
    const tools = [sub.asTool({ ...options, sessionId: () => 's' })]
    const session = await agentOf([asks('a'), 'done'], { tools }).newSession()
    await session.run('Hi')
    expect(await session.memory.getItems()).toContainEqual(output('a', 'one'))
    expect(seen).toEqual(['save'])
  })

  it('is checked when it is made', () => {
    const sub = agentOf([])
    for (const wrong of [
      undefined,
      null,
      'x',
      {},
      { ...options, name: 'a b' },
      { ...options, session: 'x' },
    ]) {
      thrown(() => sub.asTool(wrong as never), 'INVALID_ARGUMENT')
    }
  })
})
