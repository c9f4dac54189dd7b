import { getEventListeners } from 'node:events'
import type { ModelClient } from '@holdfast/core'
import { openaiChat, openaiResponses } from '@holdfast/openai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ANSWERED, MISTAKES, NO_CODES } from './support/failure-cases.ts'
import { drain, failure, KEY, prompt, SECRET, streamed } from './support/model-checks.ts'
import { wire } from './support/model-setup.ts'
import {
  completion,
  completionEvents,
  type Reply,
  response,
  responseEvents,
  startWireServer,
} from './support/wire-server.ts'

const setup = wire()

const text = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Yes.' }],
}
const apis: Record<
  string,
  {
    over(client: OpenAI): ModelClient
    whole(): unknown
    events(): (object | string)[]
    end: number
  }
> = {
  'the Responses API': {
    over: openaiResponses,
    whole: () => response([text]),
    events: () => responseEvents(response([text])),
    // The last event says that the answer is whole.
    end: 1,
  },
  'Chat Completions': {
    over: openaiChat,
    whole: () => completion({ role: 'assistant', content: 'Yes.' }),
    events: () => completionEvents(completion({ role: 'assistant', content: 'Yes.' })),
    // So does the one before usage and [DONE].
    end: 3,
  },
}
const refusal = (status: number, error: object = {}, headers = {}): Reply => ({
  status,
  headers,
  json: { error: { message: `Bad key ${KEY} in: ${SECRET}`, ...error } },
})

describe.each(Object.entries(apis))('%s', (_, api) => {
  const model = () => api.over(setup.client)
  const ways: Record<string, () => Promise<unknown>> = {
    create: () => model().create(prompt(), {}),
    stream: () => streamed(model(), prompt()),
  }

  describe.each(Object.entries(ways))('%s', (way, ask) => {
    const fails = async (...replies: Reply[]) => {
      const before = setup.server.requests.length
      setup.server.reply(...replies)
      const error = await failure(ask())
      // The SDK would try again by itself; that is the runtime's.
      expect(setup.server.requests.length - before).toBe(1)
      return error
    }

    it.each([
      [400, false],
      [401, false],
      [404, false],
      [408, true],
      [409, true],
      [425, true],
      [429, true],
      [500, true],
      [503, true],
    ])('status %d: may work later: %s', async (status, retryable) => {
      const error = await fails(refusal(status, { code: 'a_code' }, { 'x-request-id': 'req_1' }))
      expect(error).toMatchObject({ status, retryable, code: 'a_code', requestId: 'req_1' })
      expect(error['cause']).toMatchObject({ status })
      expect(error).not.toHaveProperty('retryAfterMs')
    })

    it('reads how long to wait', async () => {
      const wait = async (headers: object) =>
        (await fails(refusal(429, {}, headers)))['retryAfterMs']
      expect(await wait({ 'retry-after': '7' })).toBe(7_000)
      expect(await wait({ 'retry-after-ms': '250', 'retry-after': '7' })).toBe(250)
      const date = new Date(Date.now() + 60_000).toUTCString()
      const ms = Number(await wait({ 'retry-after': date }))
      expect(ms).toBeGreaterThan(55_000)
      expect(ms).toBeLessThanOrEqual(60_000)
      expect(await wait({ 'retry-after': 'soon' })).toBeUndefined()
    })

    it('says that no waiting helps where the quota is used up, or the endpoint says so', async () => {
      const quota = await fails(refusal(429, { code: 'insufficient_quota' }))
      expect(quota['retryable']).toBe(false)
      expect((await fails(refusal(500, {}, { 'x-should-retry': 'false' })))['retryable']).toBe(
        false,
      )
      expect((await fails(refusal(400, {}, { 'x-should-retry': 'true' })))['retryable']).toBe(true)
    })

    it('may work later where the connection breaks, or the body is no JSON', async () => {
      expect(await fails('break')).toMatchObject({ retryable: true })
      expect(await fails({ text: '{"id": "cut' })).toMatchObject({ retryable: true })
      expect(await fails({ json: { hello: 'world' } })).toMatchObject({ retryable: true })
    })

    it.each(ANSWERED)(
      'an error with status 200, %j: may work later: %s',
      async (error, later, code) => {
        const answer = { error }
        const found = await fails({ json: answer })
        expect(found).toMatchObject({ retryable: later, cause: answer })
        expect(found['code']).toBe(code)
      },
    )

    it.each(NO_CODES)('keeps %j out of its words', async (code) => {
      const error = await fails(refusal(400, { code }))
      expect(error).not.toHaveProperty('code')
      expect(error['message']).not.toContain(code)
    })

    it('ends with the reason of an abort, and closes the connection', async () => {
      const controller = new AbortController()
      const number = setup.server.requests.length
      setup.server.reply('hold')
      const options = { signal: controller.signal }
      const asked =
        way === 'create'
          ? model().create(prompt(), options)
          : drain(model().stream?.(prompt(), options))
      const request = await setup.server.request(number)
      const reason = new Error('enough')
      controller.abort(reason)
      await expect(asked).rejects.toBe(reason)
      expect(await request.finished).toBe(false)
    })

    it('leaves no listener on the signal', async () => {
      const { signal } = new AbortController()
      for (let round = 0; round < 3; round++) {
        setup.server.reply(way === 'create' ? { json: api.whole() } : { events: api.events() })
        if (way === 'create') await model().create(prompt(), { signal })
        else await drain(model().stream?.(prompt(), { signal }))
      }
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    })

    it('asks nothing once it is aborted', async () => {
      const before = setup.server.requests.length
      const options = { signal: AbortSignal.abort(new Error('enough')) }
      const asked =
        way === 'create'
          ? model().create(prompt(), options)
          : drain(model().stream?.(prompt(), options))
      await expect(asked).rejects.toThrow('enough')
      expect(setup.server.requests).toHaveLength(before)
    })
  })

  const asked = (options: object) =>
    failure(api.over(new OpenAI({ apiKey: KEY, logLevel: 'off', ...options })).create(prompt(), {}))

  it('may work later where nobody listens, or nobody answers', async () => {
    const gone = await startWireServer()
    await gone.close()
    const refused = await asked({ baseURL: gone.url })
    expect(refused).toMatchObject({ retryable: true, code: 'ECONNREFUSED' })
    setup.server.reply('hold')
    expect(await asked({ baseURL: setup.server.url, timeout: 50 })).toMatchObject({
      retryable: true,
    })
  })

  it.each(MISTAKES)('does not try again with %j', async (options) => {
    const error = await asked({ baseURL: setup.server.url, ...options })
    expect(error).toMatchObject({ name: 'ModelRequestError', retryable: false })
  })

  it('fails where a stream is cut, wherever that is', async () => {
    const events = api.events()
    for (let kept = 0; kept <= events.length - api.end; kept++) {
      for (const ending of ['end', 'break'] as const) {
        setup.server.reply({ events: events.slice(0, kept), ending })
        const error = await failure(streamed(model(), prompt()))
        expect([kept, ending, error['retryable']]).toEqual([kept, ending, true])
      }
    }
  })

  it('fails where an event is no JSON', async () => {
    const broken = `data: {"type":"response.output_text.delta","delta":"${SECRET}\n\n`
    setup.server.reply({ events: [...api.events().slice(0, 2), broken] })
    expect(await failure(streamed(model(), prompt()))).toMatchObject({ retryable: true })
  })

  it('fails where an event reports an error', async () => {
    const report = async (error: object) => {
      setup.server.reply({ events: [...api.events().slice(0, 2), { error }], ending: 'hold' })
      return failure(streamed(model(), prompt()))
    }
    const limit = { code: 'rate_limit_exceeded', message: 'Please try again in 1.5s.' }
    expect(await report(limit)).toMatchObject({ retryable: true, retryAfterMs: 1_500 })
    const asked = { type: 'invalid_request_error', message: SECRET }
    expect(await report(asked)).toMatchObject({ retryable: false })
    expect(await report({ code: 502, message: 'Upstream' })).toMatchObject({
      retryable: true,
      status: 502,
    })
  })

  it('keeps the connection of a stream that was read to its result', async () => {
    const server = await startWireServer()
    const client = new OpenAI({ apiKey: KEY, baseURL: server.url })
    for (let round = 0; round < 8; round++) {
      server.reply({ events: api.events() })
      for await (const { type } of api.over(client).stream?.(prompt(), {}) ?? []) {
        // As the runtime does.
        if (type === 'result') break
      }
    }
    // The pool may open a second one before it knows that the first is free; closed ones would make eight.
    expect(new Set(server.requests.map(({ port }) => port)).size).toBeLessThan(4)
    await server.close()
  })

  it('ends with the reason of an abort that comes while it waits for more', async () => {
    const number = setup.server.requests.length
    setup.server.reply({ events: api.events().slice(0, 5), ending: 'hold' })
    const controller = new AbortController()
    const reason = new Error('enough')
    const pieces = model().stream?.(prompt(), { signal: controller.signal })
    const asked = drain(pieces)
    setTimeout(() => controller.abort(reason), 100)
    await expect(asked).rejects.toBe(reason)
    expect(await setup.server.requests[number]?.finished).toBe(false)
  })

  it('closes the connection of a stream that is aborted, or left', async () => {
    const controller = new AbortController()
    const leave = async (signal?: AbortSignal) => {
      const number = setup.server.requests.length
      setup.server.reply({ events: api.events().slice(0, 5), ending: 'hold' })
      const options = signal ? { signal } : {}
      for await (const delta of model().stream?.(prompt(), options) ?? []) {
        expect(delta.type).toBe('text')
        if (!signal) break
        controller.abort(new Error('enough'))
      }
      return setup.server.requests[number]?.finished
    }
    const number = setup.server.requests.length
    await expect(leave(controller.signal)).rejects.toThrow('enough')
    expect(await setup.server.requests[number]?.finished).toBe(false)
    expect(await leave()).toBe(false)
  })
})

describe('the Responses API', () => {
  const failed = (error: object) =>
    response([], { status: 'failed', error: { message: SECRET, ...error } })

  it.each([
    ['server_error', true],
    ['rate_limit_exceeded', true],
    ['invalid_prompt', false],
  ])('a response that failed with %s: may work later: %s', async (code, retryable) => {
    const model = openaiResponses(setup.client)
    setup.server.reply({ json: failed({ code }) }, { events: responseEvents(failed({ code })) })
    expect(await failure(model.create(prompt(), {}))).toMatchObject({ code, retryable })
    expect(await failure(streamed(model, prompt()))).toMatchObject({ code, retryable })
  })

  it('an error event', async () => {
    const event = { type: 'error', code: 'server_error', message: SECRET, param: null }
    setup.server.reply({ events: [event] })
    const error = await failure(streamed(openaiResponses(setup.client), prompt()))
    expect(error).toMatchObject({ code: 'server_error', retryable: true })
  })

  it('a response that is still being made', async () => {
    setup.server.reply({ json: response([], { status: 'queued' }) })
    const error = await failure(openaiResponses(setup.client).create(prompt(), {}))
    expect(error).toMatchObject({ retryable: false })
  })
})

describe('Chat Completions', () => {
  it('an error with status 200', async () => {
    setup.server.reply({ json: { error: { code: 429, message: SECRET } } })
    const error = await failure(openaiChat(setup.client).create(prompt(), {}))
    expect(error).toMatchObject({ status: 429, retryable: true })
  })

  it('an answer that ends with an error', async () => {
    const whole = completion({ role: 'assistant', content: 'Ye' }, { finish_reason: 'error' })
    setup.server.reply({ json: whole }, { events: completionEvents(whole) })
    const model = openaiChat(setup.client)
    expect(await failure(model.create(prompt(), {}))).toMatchObject({ retryable: true })
    expect(await failure(streamed(model, prompt()))).toMatchObject({ retryable: true })
  })
})
