import {
  type AgentDelta,
  type AgentEvent,
  type AgentStream,
  createAgent,
  InMemoryAgentMemory,
  type ModelClient,
  type ModelDelta,
  type ModelResult,
} from '@holdfast/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentOf, calls, typesOf } from '../sessions/session-support.ts'
import {
  assistant,
  client,
  deferred,
  expectPaired,
  never,
  rejection,
  settle,
  simpleTool,
} from './support.ts'

const unhandled: unknown[] = []
const note = (reason: unknown) => void unhandled.push(reason)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await settle()
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

const resultOf = (text: string): ModelResult => ({
  memoryItems: [assistant(text)],
  toolCalls: [],
  text,
})

/** A client that streams `pieces`, and says how its streams ended. */
function streaming(...answers: ModelDelta[][]) {
  const closed: string[] = []
  const modelClient: ModelClient = {
    create: () => Promise.reject(new Error('create is not for streams')),
    async *stream() {
      let how = 'left'
      try {
        yield* answers.shift() ?? []
        how = 'drained'
      } finally {
        closed.push(how)
      }
    },
  }
  return { modelClient, closed }
}

const text = (piece: string): ModelDelta => ({ type: 'text', text: piece })
const end = (all: string): ModelDelta => ({ type: 'result', result: resultOf(all) })

async function partsOf(stream: AgentStream): Promise<string[]> {
  const parts: string[] = []
  for await (const part of stream) parts.push(label(part))
  return parts
}

const label = (part: AgentEvent | AgentDelta) =>
  'text' in part ? `${part.type} ${part.text}` : part.type

describe('a stream', () => {
  it('shows events and pieces in order, and then has the result', async () => {
    const reasoning: ModelDelta = { type: 'reasoning', text: 'hm' }
    const { modelClient, closed } = streaming([reasoning, text('He'), text('llo'), end('Hello')])
    const session = await agentOf([], { modelClient }).newSession()
    const stream = session.stream('Hi')
    expect(await partsOf(stream)).toEqual([
      'USER_INPUT',
      'STEP_START',
      'MODEL_REQUEST',
      'REASONING_DELTA hm',
      'TEXT_DELTA He',
      'TEXT_DELTA llo',
      'MODEL_RESPONSE',
      'MEMORY_ITEMS_APPENDED',
      'FINAL_OUTPUT',
      'STEP_END',
    ])
    expect(await stream.result).toMatchObject({ status: 'completed', text: 'Hello', steps: 1 })
    expect(typesOf(session)).not.toContain('TEXT_DELTA')
    expect(closed).toEqual(['left'])
  })

  it('has a text stream of all steps, and any number of readers, who each see all', async () => {
    const t = simpleTool('t', () => 'x')
    const call: ModelResult = {
      memoryItems: [{ type: 'function_call', call_id: 'c', name: 't', arguments: '{}' }],
      toolCalls: [{ callId: 'c', name: 't', arguments: '{}' }],
      text: 'one ',
    }
    const { modelClient } = streaming(
      [text('one '), { type: 'result', result: call }],
      [text('t'), text('wo'), end('two')],
    )
    const stream = createAgent({ modelClient, model: 'm', tools: [t] }).stream('Hi')
    const read = async () => {
      const pieces: string[] = []
      for await (const piece of stream.textStream) pieces.push(piece)
      return pieces
    }
    const [one, two, parts] = await Promise.all([read(), read(), partsOf(stream)])
    expect(one).toEqual(['one ', 't', 'wo'])
    expect(two).toEqual(one)
    expect(await read()).toEqual(one)
    expect(await partsOf(stream)).toEqual(parts)
    expect(parts.filter((part) => part === 'STEP_START')).toHaveLength(2)
  })

  it('runs, and ends, though nobody looks', async () => {
    const memory = new InMemoryAgentMemory()
    const stream = agentOf(['a']).stream('1', { memory })
    expect((await stream.result).text).toBe('a')
    agentOf([]).stream('1')
    await settle()
    expect(await memory.getItems()).toHaveLength(2)
  })

  it('of a client that cannot stream shows each answer in one piece', async () => {
    const session = await agentOf(['whole']).newSession()
    const parts = await partsOf(session.stream('Hi'))
    expect(parts.filter((part) => part.includes('DELTA'))).toEqual(['TEXT_DELTA whole'])
    const silent = createAgent({ modelClient: client(async () => resultOf('')), model: 'm' })
    expect((await partsOf(silent.stream('Hi'))).join()).not.toContain('DELTA')
  })

  it('asks a client to stream only where somebody looks', async () => {
    const { modelClient } = streaming([end('x')])
    const agent = createAgent({
      modelClient: { ...modelClient, create: async () => resultOf('y') },
      model: 'm',
    })
    expect((await agent.run('Hi')).text).toBe('y')
    expect((await agent.stream('Hi').result).text).toBe('x')
  })

  it('is CONFLICT beside another run, which goes on', async () => {
    const gate = deferred<string>()
    const session = await agentOf([() => gate.promise]).newSession()
    const first = session.stream('1')
    await rejection(session.stream('2').result, 'CONFLICT')
    await rejection(partsOf(session.stream('2')), 'CONFLICT')
    gate.resolve('done')
    expect((await first.result).text).toBe('done')
  })

  it.each([
    ['null', null],
    ['text', 'x'],
    ['a list', []],
    ['an option that does not exist', { sped: 1 }],
    ['a signal that is null', { signal: null }],
    ['half a signal', { signal: { aborted: false, addEventListener: () => {} } }],
  ])('refuses options that are %s as its result, never at once', async (_, options) => {
    const agent = agentOf(['a'])
    const session = await agent.newSession()
    await rejection(session.stream('1', options as never).result, 'INVALID_ARGUMENT')
    await rejection(partsOf(agent.stream('1', options as never)), 'INVALID_ARGUMENT')
    expect(await session.memory.getItems()).toEqual([])
  })

  it('refuses a memory and an input that are none as its result', async () => {
    const agent = agentOf(['a'])
    await rejection(agent.stream('1', { memory: {} as never }).result, 'INVALID_ARGUMENT')
    await rejection(agent.stream(5 as never).result, 'INVALID_ARGUMENT')
    const memory = Object.assign(new InMemoryAgentMemory(), {
      pin: () => {
        throw new Error('no pin')
      },
    })
    await expect(agent.stream('1', { memory }).result).rejects.toThrow('no pin')
  })
})

describe('leaving a stream early', () => {
  it.each(['parts', 'text'] as const)(
    'aborts the run and ends the model’s stream (%s)',
    async (which) => {
      const { modelClient, closed } = streaming([text('a'), text('b'), text('c'), end('abc')])
      const session = await agentOf([], { modelClient }).newSession()
      const stream = session.stream('Hi')
      for await (const part of which === 'text' ? stream.textStream : stream) {
        if (part === 'a' || (typeof part === 'object' && part.type === 'TEXT_DELTA')) break
      }
      const error = await rejection(stream.result, 'ABORTED')
      expect(error.cause).toMatchObject({ code: 'ABORTED' })
      await settle()
      expect(closed).toEqual(['left'])
      // The run is over when the loop is: the session is free.
      expect(await session.memory.getItems()).toHaveLength(1)
      expect(typesOf(session).at(-1)).toBe('ERROR')
    },
  )

  it('by a throw lets that error through', async () => {
    const stream = agentOf(['a']).stream('Hi')
    const read = async () => {
      for await (const _ of stream) throw new RangeError('mine')
    }
    await expect(read()).rejects.toThrow('mine')
    await rejection(stream.result, 'ABORTED')
  })

  it('stops the tools, and each call gets its output', async () => {
    let seen: AbortSignal | undefined
    const slow = simpleTool('slow', (_, { signal }) => {
      seen = signal
      return never()
    })
    const session = await agentOf([calls('slow')], { tools: [slow] }).newSession()
    for await (const part of session.stream('Hi')) if (part.type === 'TOOL_CALL') break
    expect(seen?.aborted).toBe(true)
    expectPaired(await session.memory.getItems())
  })

  it('after the end of the run changes nothing', async () => {
    const stream = agentOf(['a']).stream('Hi')
    await stream.result
    for await (const _ of stream) break
    expect((await stream.result).text).toBe('a')
  })
})

describe('a stream that goes wrong', () => {
  it('throws in the iteration what the run throws', async () => {
    const session = await agentOf([]).newSession()
    const stream = session.stream('Hi')
    const parts: string[] = []
    const read = async () => {
      for await (const part of stream) parts.push(part.type)
    }
    const error = await rejection(read(), 'MODEL_FAILED')
    expect(parts.at(-1)).toBe('ERROR')
    expect(await stream.result.catch((reason: unknown) => reason)).toBe(error)
    await rejection(partsOf(stream), 'MODEL_FAILED')
  })

  it('goes by the caller’s signal, and takes its listener off again', async () => {
    const abort = new AbortController()
    let listeners = 0
    const { signal } = abort
    const add = signal.addEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      return add(...args)
    }
    const remove = signal.removeEventListener.bind(signal)
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      return remove(...args)
    }
    const agent = createAgent({ modelClient: client(never), model: 'm' })
    const stream = agent.stream('Hi', { signal })
    await settle()
    abort.abort('enough')
    expect((await rejection(stream.result, 'ABORTED')).cause).toBe('enough')
    const late = agent.stream('Hi', { signal })
    expect((await rejection(late.result, 'ABORTED')).cause).toBe('enough')
    expect(listeners).toBe(0)
  })

  it.each<[string, unknown]>([
    [
      'throws at once',
      () => {
        throw new Error('x')
      },
    ],
    ['is no iterable', () => 5],
    ['answers no piece', () => pieces(async () => undefined)],
    ['answers null for a piece', () => pieces(async () => ({ value: null, done: false }))],
    [
      'throws when read',
      () =>
        pieces(() => {
          throw new Error('x')
        }),
    ],
    [
      'rejects when read',
      () =>
        pieces(async () => {
          throw new Error('x')
        }),
    ],
    [
      'ends with a wrong result',
      () => pieces(async () => ({ value: { type: 'result', result: 5 } })),
    ],
  ])('is MODEL_FAILED where the client’s stream %s', async (_, stream) => {
    const modelClient = { create: never, stream } as unknown as ModelClient
    const memory = new InMemoryAgentMemory()
    const agent = createAgent({ modelClient, model: 'm', modelRetries: 0 })
    await rejection(agent.stream('Hi', { memory }).result, 'MODEL_FAILED')
    expect(await memory.getItems()).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('x')
      },
    ],
    ['never ends', never],
  ])('has its result although ending the client’s stream %s', async (_, close) => {
    const next = async () => ({ value: end('whole') })
    const modelClient = {
      create: never,
      stream: () => ({ ...pieces(next), return: close }),
    } as never
    expect((await createAgent({ modelClient, model: 'm' }).stream('Hi').result).text).toBe('whole')
  })
})

/** A stream of what `next` answers; only what a loop needs. */
const pieces = (next: () => unknown) => ({
  next,
  [Symbol.asyncIterator]() {
    return this
  },
})
