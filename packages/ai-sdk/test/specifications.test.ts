import type {
  LanguageModelV2,
  LanguageModelV2Content,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { type AiSdkLanguageModel, aiSdkModel } from '@holdfast/ai-sdk'
import { functionCallOutput, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { drain, failure, prompt, streamed, textOf } from '../../openai/test/support/model-checks.ts'

const usage = {
  inputTokens: { total: 11, noCache: 8, cacheRead: 3, cacheWrite: undefined },
  outputTokens: { total: 7, text: 5, reasoning: 2 },
}
const stop = { unified: 'stop' as const, raw: 'end_turn' }

/** A model of V3 that answers this content, and keeps what it was asked. */
function third(content: LanguageModelV3Content[], parts: LanguageModelV3StreamPart[] = []) {
  const calls: LanguageModelV3CallOptions[] = []
  const model: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'local.chat',
    modelId: 'three',
    supportedUrls: {},
    async doGenerate(options) {
      calls.push(options)
      return { content, finishReason: stop, usage, warnings: [] }
    },
    async doStream(options) {
      calls.push(options)
      return { stream: streamOf(parts) }
    },
  }
  return { model, calls, client: aiSdkModel(model) }
}

function second(content: LanguageModelV2Content[]): LanguageModelV2 {
  return {
    specificationVersion: 'v2',
    provider: 'local.chat',
    modelId: 'two',
    supportedUrls: {},
    async doGenerate() {
      const counts = { inputTokens: 11, outputTokens: 7, totalTokens: 20 }
      return { content, finishReason: 'stop', usage: counts, warnings: [] }
    },
    async doStream() {
      const counts = { inputTokens: 1, outputTokens: undefined, totalTokens: undefined }
      return {
        stream: streamOf([
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Yes.' },
          { type: 'finish', finishReason: 'unknown', usage: counts },
        ]),
      }
    },
  }
}

/** A model of V4, whose types the installed provider package does not know. */
function fourth(content: object[]) {
  const calls: { prompt: unknown }[] = []
  const model: AiSdkLanguageModel = {
    specificationVersion: 'v4',
    provider: 'local.chat',
    modelId: 'four',
    async doGenerate(options) {
      calls.push(options as { prompt: unknown })
      return { content, finishReason: stop, usage, warnings: [] }
    },
    doStream: () => Promise.reject(new Error('not asked for')),
  }
  return { calls, client: aiSdkModel(model) }
}

const streamOf = <T>(parts: readonly T[]): ReadableStream<T> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
const link = { type: 'input_file', file_url: 'https://example.com/a.pdf', filename: 'a.pdf' }
const shot = [
  { type: 'function_call', call_id: 'a', name: 'shot', arguments: '{}' },
  functionCallOutput('a', [{ type: 'input_text', text: 'The screen:' }, image]),
]

describe('content of an answer', () => {
  const content: LanguageModelV3Content[] = [
    { type: 'reasoning', text: '', providerMetadata: { a: { redacted: 'cmVk' } } },
    { type: 'text', text: 'One ', providerMetadata: { a: { itemId: 'msg_1' } } },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com', title: 'T' },
    {
      type: 'tool-call',
      toolCallId: 'h',
      toolName: 'search',
      input: '{"q":"x"}',
      providerExecuted: true,
    },
    {
      type: 'tool-result',
      toolCallId: 'h',
      toolName: 'search',
      result: { hits: 0 },
      preliminary: true,
    },
    { type: 'tool-result', toolCallId: 'h', toolName: 'search', result: { hits: 1 } },
    { type: 'file', mediaType: 'image/png', data: new Uint8Array([137, 80, 78, 71]) },
    { type: 'text', text: 'two' },
    {
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 'weather',
      input: '{"city":"Bern"}',
      providerMetadata: { a: { signature: 'c2ln' } },
    },
  ]

  it('becomes items of plain JSON, and comes back as it was in the next prompt', async () => {
    const { client, calls } = third(content)
    const result = await client.create(prompt(), {})
    expect(result).toMatchObject({
      text: 'One two',
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
      finishReason: 'end_turn',
      toolCalls: [{ callId: 'c', name: 'weather', arguments: '{"city":"Bern"}' }],
    })
    expect(JSON.parse(JSON.stringify(result.memoryItems))).toEqual(result.memoryItems)
    expect(JSON.stringify(result.memoryItems)).toContain('https://example.com')

    const output = functionCallOutput('c', 'sun')
    await client.create(prompt([userMessage('Hi'), ...result.memoryItems, output]), {})
    expect(calls.at(-1)?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', providerOptions: { a: { redacted: 'cmVk' } } },
          { type: 'text', text: 'One ', providerOptions: { a: { itemId: 'msg_1' } } },
          {
            type: 'tool-call',
            toolCallId: 'h',
            toolName: 'search',
            input: { q: 'x' },
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: 'h',
            toolName: 'search',
            output: { type: 'json', value: { hits: 1 } },
          },
          { type: 'file', mediaType: 'image/png', data: 'iVBORw==' },
          { type: 'text', text: 'two' },
          {
            type: 'tool-call',
            toolCallId: 'c',
            toolName: 'weather',
            input: { city: 'Bern' },
            providerOptions: { a: { signature: 'c2ln' } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'weather',
            output: { type: 'text', value: 'sun' },
          },
        ],
      },
    ])
  })

  it('is the same when it is streamed, also where an id is used again', async () => {
    const { client } = third(content, [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-end', id: '0', providerMetadata: { a: { redacted: 'cmVk' } } },
      { type: 'text-start', id: '0', providerMetadata: { a: { itemId: 'msg_1' } } },
      { type: 'text-delta', id: '0', delta: 'One' },
      { type: 'text-delta', id: '0', delta: ' ' },
      { type: 'text-end', id: '0' },
      ...(content.slice(2, 7) as LanguageModelV3StreamPart[]),
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'two' },
      { type: 'text-end', id: '0' },
      { type: 'tool-input-start', id: 'c', toolName: 'weather' },
      { type: 'tool-input-delta', id: 'c', delta: '{"city":"Bern"}' },
      { type: 'tool-input-end', id: 'c' },
      content[8] as LanguageModelV3StreamPart,
      { type: 'finish', finishReason: stop, usage },
    ])
    const { result, deltas } = await streamed(client, prompt())
    expect(result).toEqual(await client.create(prompt(), {}))
    expect(textOf(deltas)).toBe('One two')
  })

  it('of V2 and V4 is understood alike', async () => {
    const older = await aiSdkModel(second([{ type: 'text', text: 'Yes.' }])).create(prompt(), {})
    expect(older).toMatchObject({
      text: 'Yes.',
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 20 },
      finishReason: 'stop',
    })
    const { client, calls } = fourth([
      { type: 'text', text: 'Yes.' },
      { type: 'custom', kind: 'a.block', providerMetadata: { a: { id: 'x' } } },
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'QUJD' } },
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'url', url: new URL('https://example.com/a.png') },
      },
    ])
    const { memoryItems } = await client.create(prompt(), {})
    await client.create(prompt(memoryItems), {})
    expect(calls.at(-1)?.prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'custom', kind: 'a.block', providerOptions: { a: { id: 'x' } } },
          { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'QUJD' } },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://example.com/a.png') },
          },
        ],
      },
    ])
    // A session may go on with a model of another specification.
    const other = third([{ type: 'text', text: 'x' }])
    await other.client.create(prompt(memoryItems), {})
    expect(other.calls[0]?.prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'file', mediaType: 'image/png', data: new URL('https://example.com/a.png') },
        ],
      },
    ])
  })

  it('that ended with an error, or was interrupted, is none', async () => {
    const { model } = third([])
    for (const unified of ['error', 'interrupted']) {
      const doGenerate = async () => ({
        content: [{ type: 'text', text: 'Half of i' }],
        finishReason: { unified, raw: undefined },
        usage,
        warnings: [],
      })
      const error = await failure(aiSdkModel({ ...model, doGenerate }).create(prompt(), {}))
      expect([unified, error['retryable']]).toEqual([unified, true])
    }
  })

  it('without any count has no usage', async () => {
    const { model } = third([{ type: 'text', text: 'x' }])
    const silent = { ...model, doGenerate: async () => ({ content: [], usage: {}, warnings: [] }) }
    expect(await aiSdkModel(silent).create(prompt(), {})).toEqual({
      memoryItems: [],
      toolCalls: [],
      text: '',
    })
  })
})

describe('files', () => {
  const user = (...content: object[]) => [{ type: 'message', role: 'user', content }]
  const text = { type: 'text', text: 'x' } as const

  it('are given in the shape of the specification', async () => {
    const v3 = third([text])
    await v3.client.create(prompt([...user(image, link), ...shot]), {})
    expect(v3.calls[0]?.prompt[0]?.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
      {
        type: 'file',
        mediaType: 'application/pdf',
        filename: 'a.pdf',
        data: new URL('https://example.com/a.pdf'),
      },
    ])
    expect(v3.calls[0]?.prompt[2]?.content).toMatchObject([
      {
        toolName: 'shot',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'The screen:' },
            { type: 'image-data', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
          ],
        },
      },
    ])
    const v4 = fourth([text])
    await v4.client.create(prompt(user(image, link, { type: 'input_file', file_id: 'file_7' })), {})
    expect(v4.calls[0]?.prompt).toMatchObject([
      {
        content: [
          { data: { type: 'data', data: 'iVBORw0KGgo=' } },
          { data: { type: 'url', url: new URL('https://example.com/a.pdf') } },
          { data: { type: 'reference', reference: { local: 'file_7' } } },
        ],
      },
    ])
  })

  it('say how closely an image is looked at, to who reads it', async () => {
    const { client, calls } = third([text])
    await client.create(prompt(user({ ...image, detail: 'low' })), {})
    expect(calls[0]?.prompt[0]?.content).toMatchObject([
      { type: 'file', providerOptions: { openai: { imageDetail: 'low' } } },
    ])
  })

  it('that the specification cannot name are refused', async () => {
    const byId = user({ type: 'input_image', file_id: 'file_7' })
    await expect(third([text]).client.create(prompt(byId), {})).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    const out = [...shot.slice(0, 1), functionCallOutput('a', [link])]
    await expect(aiSdkModel(second([text])).create(prompt(out), {})).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })
})

describe('an output of text parts alone', () => {
  it('is text', async () => {
    const { client, calls } = third([{ type: 'text', text: 'x' }])
    const parts = ['sun in Bern', 'rain in Basel'].map((one) => ({ type: 'input_text', text: one }))
    await client.create(prompt([...shot.slice(0, 1), functionCallOutput('a', parts)]), {})
    expect(calls[0]?.prompt[1]?.content).toMatchObject([
      { output: { type: 'text', value: 'sun in Bern\nrain in Basel' } },
    ])
  })
})

describe('items of other clients', () => {
  it('are told as far as they can be', async () => {
    const { client, calls } = third([{ type: 'text', text: 'x' }])
    await client.create(
      prompt([
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
        { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{"city":' },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: '["Bern"]' },
        { type: 'web_search_call', id: 'ws_1' },
        functionCallOutput('c', 'The arguments are no object.'),
        functionCallOutput('a', 'The arguments are no JSON.'),
        { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        functionCallOutput('b', 'nobody asked'),
        { type: 'message', role: 'developer', content: 'Mind the gap.' },
      ]),
      {},
    )
    expect(JSON.stringify(calls[0]?.prompt)).not.toContain('Bern')
    expect(calls[0]?.prompt).toMatchObject([
      // Some providers refuse a prompt whose arguments are no object.
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', input: {} },
          { type: 'tool-call', toolCallId: 'c', input: {} },
        ],
      },
      { role: 'tool', content: [{ toolCallId: 'a', toolName: 'weather' }, { toolCallId: 'c' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
      { role: 'tool', content: [{ toolCallId: 'b' }] },
      { role: 'system', content: 'Mind the gap.' },
    ])
  })
})

describe('a stream', () => {
  it('that ends without a reason was cut, unless the model never gives one', async () => {
    const model = second([])
    const error = await failure(streamed(aiSdkModel(model), prompt()))
    expect(error['retryable']).toBe(true)
    const lenient = aiSdkModel(model, { withoutReason: 'accept' })
    expect((await streamed(lenient, prompt())).result).toMatchObject({
      text: 'Yes.',
      usage: { inputTokens: 1, outputTokens: 0, totalTokens: 1 },
    })
    const other = { unified: 'other' as const, raw: undefined }
    const { client } = third([], [{ type: 'finish', finishReason: other, usage }])
    expect((await failure(streamed(client, prompt())))['retryable']).toBe(true)
  })

  it('is cancelled by an abort where the model ignores its signal, and its reader let go', async () => {
    let cancelled = false
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start(controller) {
        controller.enqueue({ type: 'text-start', id: '0' })
        controller.enqueue({ type: 'text-delta', id: '0', delta: 'Ye' })
      },
      cancel() {
        cancelled = true
      },
    })
    const { model } = third([])
    const client = aiSdkModel({ ...model, doStream: async () => ({ stream }) })
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('enough')), 20)
    const options = { signal: controller.signal }
    await expect(drain(client.stream?.(prompt(), options))).rejects.toThrow('enough')
    expect([cancelled, stream.locked]).toEqual([true, false])
  })
})

describe('the door', () => {
  it.each([
    'openai/gpt-5',
    undefined,
    {},
    { specificationVersion: 'v1', doGenerate() {}, doStream() {} },
    { specificationVersion: 'v3', doGenerate() {} },
  ])('refuses what is no model: %j', (model) => {
    expect(() => aiSdkModel(model as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })

  it('refuses what a provider answers that is none', async () => {
    const client = aiSdkModel((() => 'gpt-5') as never)
    await expect(client.create(prompt(), {})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
