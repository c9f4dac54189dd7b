import { getEventListeners } from 'node:events'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { aiSdkModel } from '@holdfast/ai-sdk'
import { describe, expect, it } from 'vitest'
import { ANSWERED, MISTAKES, NO_CODES } from '../../openai/test/support/failure-cases.ts'
import {
  drain,
  failure,
  KEY,
  prompt,
  SECRET,
  streamed,
} from '../../openai/test/support/model-checks.ts'
import {
  completion,
  completionEvents,
  type Reply,
  startWireServer,
} from '../../openai/test/support/wire-server.ts'
import { wire } from './support/model-setup.ts'

const setup = wire()
const model = () => aiSdkModel(setup.provider)
const whole = () => completion({ role: 'assistant', content: 'Yes.' })
const events = () => completionEvents(whole())

const refusal = (status: number, error: object = {}, headers = {}): Reply => ({
  status,
  headers,
  json: { error: { message: `Bad key ${KEY} in: ${SECRET}`, ...error } },
})

const ways: Record<string, () => Promise<unknown>> = {
  create: () => model().create(prompt(), {}),
  stream: () => streamed(model(), prompt()),
}

describe.each(Object.entries(ways))('%s', (way, ask) => {
  const fails = async (...replies: Reply[]) => {
    const before = setup.server.requests.length
    setup.server.reply(...replies)
    const error = await failure(ask())
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
    expect(error['cause']).toMatchObject({ statusCode: status })
    expect(error).not.toHaveProperty('retryAfterMs')
  })

  it('reads how long to wait', async () => {
    const wait = async (headers: object) => (await fails(refusal(429, {}, headers)))['retryAfterMs']
    expect(await wait({ 'retry-after': '7' })).toBe(7_000)
    expect(await wait({ 'retry-after-ms': '250', 'retry-after': '7' })).toBe(250)
    const date = new Date(Date.now() + 60_000).toUTCString()
    const ms = Number(await wait({ 'retry-after': date }))
    expect(ms).toBeGreaterThan(55_000)
    expect(ms).toBeLessThanOrEqual(60_000)
    expect(await wait({ 'retry-after': 'soon' })).toBeUndefined()
  })

  it('says that no waiting helps where the quota is used up', async () => {
    const error = await fails(refusal(429, { code: 'insufficient_quota' }))
    expect(error).toMatchObject({ status: 429, retryable: false })
  })

  it('may work later where the connection breaks, or the body is no JSON', async () => {
    expect(await fails('break')).toMatchObject({ retryable: true })
    const garbled = await fails({ text: '{"id": "cut' })
    expect(garbled['retryable']).toBe(true)
    expect(garbled).not.toHaveProperty('status')
  })

  it('may work later where nobody listens', async () => {
    const gone = await startWireServer()
    await gone.close()
    const client = aiSdkModel(createOpenAICompatible({ name: 'local', baseURL: gone.url }))
    const error = await failure(
      way === 'create' ? client.create(prompt(), {}) : streamed(client, prompt()),
    )
    expect(error).toMatchObject({ retryable: true, code: 'ECONNREFUSED' })
  })

  // `fetch` connects to no port that belongs to another protocol.
  const port = { baseURL: 'http://127.0.0.1:9/v1' }
  it.each([...MISTAKES, port])('does not try again with %j', async (options) => {
    const client = aiSdkModel(
      createOpenAICompatible({ name: 'local', baseURL: setup.server.url, ...options }),
    )
    const error = await failure(
      way === 'create' ? client.create(prompt(), {}) : streamed(client, prompt()),
    )
    expect(error).toMatchObject({ name: 'ModelRequestError', retryable: false })
  })

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
      setup.server.reply(way === 'create' ? { json: whole() } : { events: events() })
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

  it('does not ask again where the provider cannot carry the prompt', async () => {
    const video = { type: 'input_file', file_data: 'data:video/mp4;base64,AAAA' }
    const what = prompt([{ type: 'message', role: 'user', content: [video] }])
    const error = await failure(
      way === 'create' ? model().create(what, {}) : streamed(model(), what),
    )
    expect(error['retryable']).toBe(false)
  })
})

describe('an answer', () => {
  it.each(ANSWERED)(
    'with status 200 and an error, %j: may work later: %s',
    async (error, later, code) => {
      setup.server.reply({ json: { error } })
      const found = await failure(ways['create']?.() ?? Promise.resolve())
      expect(found).toMatchObject({ retryable: later, cause: { statusCode: 200 } })
      expect(found['code']).toBe(code)
    },
  )
})

describe('a stream', () => {
  it('fails where it is cut, wherever that is', async () => {
    const all = events()
    for (let kept = 0; kept <= all.length - 3; kept++) {
      for (const ending of ['end', 'break'] as const) {
        setup.server.reply({ events: all.slice(0, kept), ending })
        const error = await failure(streamed(model(), prompt()))
        expect([kept, ending, error['retryable']]).toEqual([kept, ending, true])
      }
    }
  })

  it('fails where an event is no JSON, or reports an error', async () => {
    setup.server.reply({ events: [...events().slice(0, 2), `data: {"x":"${SECRET}\n\n`] })
    expect(await failure(streamed(model(), prompt()))).toMatchObject({ retryable: true })
    const report = async (error: object) => {
      setup.server.reply({ events: [...events().slice(0, 2), { error }], ending: 'hold' })
      return failure(streamed(model(), prompt()))
    }
    expect(await report({ message: SECRET, code: 'server_error' })).toMatchObject({
      retryable: true,
    })
  })

  it('keeps the connection of a stream that was read to its result', async () => {
    const server = await startWireServer()
    const client = aiSdkModel(createOpenAICompatible({ name: 'local', baseURL: server.url }))
    for (let round = 0; round < 8; round++) {
      server.reply({ events: events() })
      for await (const { type } of client.stream?.(prompt(), {}) ?? []) {
        // As the runtime does.
        if (type === 'result') break
      }
    }
    // The pool may open a second one before it knows that the first is free; closed ones would make eight.
    expect(new Set(server.requests.map(({ port }) => port)).size).toBeLessThan(4)
    await server.close()
  })

  it('closes the connection where it is aborted, or left', async () => {
    const controller = new AbortController()
    const number = setup.server.requests.length
    const leave = async (signal?: AbortSignal) => {
      setup.server.reply({ events: events().slice(0, 3), ending: 'hold' })
      for await (const delta of model().stream?.(prompt(), signal ? { signal } : {}) ?? []) {
        expect(delta.type).toBe('text')
        if (!signal) break
        controller.abort(new Error('enough'))
      }
    }
    await expect(leave(controller.signal)).rejects.toThrow('enough')
    expect(await setup.server.requests[number]?.finished).toBe(false)
    await leave()
    expect(await setup.server.requests[number + 1]?.finished).toBe(false)
  })
})
