import {
  createAgent,
  InMemoryAgentMemory,
  type ModelClient,
  type ModelDelta,
  userMessage,
} from '@holdfast/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { agentOf, eventsOf } from '../sessions/session-support.ts'
import { assistant, client, never, rejection } from './support.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client that fails with each of `errors`, then answers. */
function flaky(...errors: unknown[]) {
  let asked = 0
  const modelClient = client(async () => {
    if (asked++ < errors.length) throw errors[asked - 1]
    return { memoryItems: [assistant('ok')], toolCalls: [], text: 'ok' }
  })
  return { modelClient, asked: () => asked }
}

async function waited<T>(run: Promise<T>): Promise<T> {
  run.catch(() => {})
  await vi.runAllTimersAsync()
  return run
}

const failure = (details: object) => Object.assign(new Error('secret'), details)

describe('a model call that failed is made again', () => {
  it.each([
    ['status 429', { status: 429 }],
    ['status 408', { status: 408 }],
    ['status 500', { status: 500 }],
    ['status 529', { status: 529 }],
    ['a broken connection', { code: 'ECONNRESET' }],
    ['a name server that is away', { code: 'EAI_AGAIN' }],
    ['a reason in the cause', { cause: { code: 'UND_ERR_SOCKET' } }],
    ['the client’s word', { status: 400, retryable: true }],
  ])('after %s', async (_, details) => {
    const { modelClient, asked } = flaky(failure(details))
    const session = await agentOf([], { modelClient }).newSession()
    expect((await waited(session.run('Hi'))).text).toBe('ok')
    expect(asked()).toBe(2)
    const [retry] = eventsOf(session, 'MODEL_RETRY')
    expect(retry?.payload).toEqual({
      attempt: 1,
      delayMs: expect.any(Number),
      error: expect.stringMatching(/^[\w.]+$/),
    })
    expect(JSON.stringify(session.eventLog.events)).not.toContain('secret')
  })

  it.each([
    ['status 400', failure({ status: 400 })],
    ['status 401', failure({ status: 401 })],
    ['any other error', new Error('x')],
    ['a code of another kind', failure({ code: 'ERR_INVALID_ARG' })],
    ['the client’s word', failure({ status: 429, retryable: false })],
    ['what is no error', 'text'],
    ['nothing', undefined],
    ['a wish to wait for long', failure({ status: 429, retryAfterMs: 120_001 })],
  ])('but not after %s', async (_, error) => {
    const { modelClient, asked } = flaky(error)
    const failed = await rejection(
      waited(createAgent({ modelClient, model: 'm' }).run('Hi')),
      'MODEL_FAILED',
    )
    expect(failed.cause).toBe(error)
    expect(asked()).toBe(1)
  })

  it('when the endpoint asked for it, and later each time by itself', async () => {
    const busy = failure({ status: 429, retryAfterMs: 7_000 })
    const { modelClient } = flaky(
      busy,
      failure({ status: 429, retryAfterMs: 0 }),
      failure({ status: 503 }),
      failure({ status: 503 }),
    )
    const session = await agentOf([], { modelClient, modelRetries: 4 }).newSession()
    await waited(session.run('Hi'))
    const delays = eventsOf(session, 'MODEL_RETRY').map(({ payload }) => Number(payload['delayMs']))
    expect(delays.slice(0, 2)).toEqual([7_000, 0])
    expect(delays[2]).toBeGreaterThanOrEqual(1_000)
    expect(delays[2]).toBeLessThanOrEqual(2_000)
    expect(delays[3]).toBeGreaterThanOrEqual(2_000)
    expect(delays[3]).toBeLessThanOrEqual(4_000)
  })

  it('as often as it is told to', async () => {
    for (const [modelRetries, expected] of [
      [0, 1],
      [1, 2],
      [undefined, 3],
    ] as const) {
      const errors = Array.from({ length: 9 }, () => failure({ status: 500 }))
      const { modelClient, asked } = flaky(...errors)
      const agent = createAgent({ modelClient, model: 'm', modelRetries })
      const error = await rejection(waited(agent.run('Hi')), 'MODEL_FAILED')
      expect(error.cause).toBe(errors[expected - 1])
      expect(asked()).toBe(expected)
    }
  })

  it('with the same prompt, whatever the client did to it; what is stored stays', async () => {
    const memory = new InMemoryAgentMemory()
    const prompts: string[] = []
    const modelClient = client(async (prompt) => {
      prompts.push(JSON.stringify(prompt))
      prompt.items.length = 0
      if (prompts.length < 3) throw failure({ status: 500 })
      return { memoryItems: [assistant('ok')], toolCalls: [], text: 'ok' }
    })
    await waited(createAgent({ modelClient, model: 'm' }).run('Hi', { memory }))
    expect(new Set(prompts).size).toBe(1)
    expect(await memory.getItems()).toEqual([userMessage('Hi'), assistant('ok')])
  })

  it('and an abort while it waits ends the run at once', async () => {
    const { modelClient, asked } = flaky(failure({ status: 429, retryAfterMs: 60_000 }))
    const abort = new AbortController()
    const run = createAgent({ modelClient, model: 'm' }).run('Hi', { signal: abort.signal })
    run.catch(() => {})
    await vi.advanceTimersByTimeAsync(10)
    abort.abort()
    await rejection(run, 'ABORTED')
    expect([asked(), vi.getTimerCount()]).toEqual([1, 0])
  })
})

describe('a stream that breaks', () => {
  const streaming = (...attempts: (ModelDelta | Error)[][]) => {
    let asked = 0
    const modelClient: ModelClient = {
      create: never,
      async *stream() {
        for (const piece of attempts[asked++] ?? []) {
          if (piece instanceof Error) throw piece
          yield piece
        }
      },
    }
    return { agent: createAgent({ modelClient, model: 'm' }), asked: () => asked }
  }
  const result = { memoryItems: [assistant('ok')], toolCalls: [], text: 'ok' }
  const down = failure({ status: 503 })

  it('is asked for again before anything was shown', async () => {
    const { agent, asked } = streaming([down], [], [{ type: 'result', result }])
    expect((await waited(agent.stream('Hi').result)).text).toBe('ok')
    expect(asked()).toBe(3)
  })

  it('is not where something was', async () => {
    for (const type of ['text', 'reasoning'] as const) {
      for (const broken of [[{ type, text: 'a' }, down], [{ type, text: 'a' }]] as const) {
        const { agent, asked } = streaming([...broken])
        await rejection(waited(agent.stream('Hi').result), 'MODEL_FAILED')
        expect(asked()).toBe(1)
      }
    }
  })
})
