import { aiSdkModel } from '@holdfast/ai-sdk'
import { functionCallOutput, systemMessage, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { lastOf, prompt, streamed, textOf } from '../../openai/test/support/model-checks.ts'
import { completion, completionEvents } from '../../openai/test/support/wire-server.ts'
import { wire } from './support/model-setup.ts'

const setup = wire()
const model = () => aiSdkModel(setup.provider)

const said = (text: string | null, more = {}) => ({ role: 'assistant', content: text, ...more })
const call = (id: string, args = '{"city":"Bern"}', more = {}) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
  ...more,
})
const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const item = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})

/** The same answer in one piece and streamed. */
const ways = {
  'in one piece': async (message: Parameters<typeof completion>[0], more = {}) => {
    setup.server.reply({ json: completion(message, more) })
    return model().create(prompt(), {})
  },
  streamed: async (message: Parameters<typeof completion>[0], more = {}) => {
    setup.server.reply({ events: completionEvents(completion(message, more)) })
    return (await streamed(model(), prompt())).result
  },
}

async function sent(items: Parameters<typeof prompt>[0], more = {}, client = model()) {
  setup.server.reply({ json: completion(said('ok')) })
  await client.create(prompt(items, more), {})
  return lastOf(setup.server).body
}

describe.each(Object.entries(ways))('an answer %s', (_, answer) => {
  it('is text with usage and the reason of its end', async () => {
    expect(await answer(said('Bern lies on the Aare. 🏞️'))).toEqual({
      memoryItems: [item('Bern lies on the Aare. 🏞️')],
      toolCalls: [],
      text: 'Bern lies on the Aare. 🏞️',
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
      finishReason: 'stop',
    })
  })

  it('is items of the Responses shape: reasoning, text, parallel calls', async () => {
    const message = said('Let me look.', {
      reasoning_content: 'Two cities.',
      tool_calls: [call('call_a'), call('call_b', '{"city":')],
    })
    const result = await answer(message)
    expect(result.memoryItems).toEqual([
      {
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Two cities.' }],
        providerData: { aiSdk: {} },
      },
      item('Let me look.'),
      { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call', call_id: 'call_b', name: 'weather', arguments: '{"city":' },
    ])
    expect(result.toolCalls).toEqual([
      { callId: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' },
      { callId: 'call_b', name: 'weather', arguments: '{"city":' },
    ])
    expect(result.finishReason).toBe('tool_calls')
  })

  it('goes back over two turns, with the metadata of its parts', async () => {
    const signed = { extra_content: { google: { thought_signature: 'c2ln' } } }
    const message = said('Look:', {
      reasoning_content: 'Hm.',
      tool_calls: [call('call_a', '{"city":"Bern"}', signed), call('call_b')],
    })
    const { memoryItems } = await answer(message)
    expect(memoryItems[2]).toMatchObject({
      providerData: { aiSdk: { providerMetadata: { local: { thoughtSignature: 'c2ln' } } } },
    })
    const history = [
      userMessage('Weather?'),
      ...memoryItems,
      functionCallOutput('call_b', 'rain'),
      functionCallOutput('call_a', 'sun'),
    ]
    setup.server.reply({ json: completion(said('Mixed.')) })
    history.push(...(await model().create(prompt(history), {})).memoryItems)
    const { messages } = await sent([...history, userMessage('Thanks')])
    expect(messages).toMatchObject([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: 'Look:',
        reasoning_content: 'Hm.',
        tool_calls: [call('call_a'), call('call_b')],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'sun' },
      { role: 'tool', tool_call_id: 'call_b', content: 'rain' },
      { role: 'assistant', content: 'Mixed.' },
      { role: 'user', content: 'Thanks' },
    ])
  })

  it('may be empty', async () => {
    const result = await answer(said(''), { finish_reason: 'length' })
    expect(result).toMatchObject({ memoryItems: [], text: '', finishReason: 'length' })
  })
})

describe('what is sent', () => {
  it('carries instructions, summary, images and files', async () => {
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ]
    const { messages } = await sent(
      [systemMessage('So far: nothing.'), { type: 'message', role: 'user', content }],
      { instructions: 'Be brief.' },
    )
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'So far: nothing.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ])
  })

  it('names tools, their choice, settings and the schema of the answer', async () => {
    const outputSchema = { type: 'object', properties: {} }
    const body = await sent(undefined, {
      tools: [weather],
      outputSchema,
      settings: { temperature: 0.2, maxOutputTokens: 50, toolChoice: 'required' },
    })
    expect(body).toMatchObject({
      model: 'test-model',
      temperature: 0.2,
      max_tokens: 50,
      tool_choice: 'required',
      tools: [{ type: 'function', function: weather }],
      response_format: { type: 'json_schema', json_schema: { schema: outputSchema } },
    })
    expect(body.tools[0].function).not.toHaveProperty('strict')
  })

  it('goes to the model that was given, or to the one that the prompt names', async () => {
    const fixed = aiSdkModel(setup.provider('fixed'), { strictTools: true })
    const body = await sent(undefined, { tools: [weather] }, fixed)
    expect(body).toMatchObject({ model: 'fixed', tools: [{ function: { strict: true } }] })
    expect((await sent(undefined, { model: 'named' })).model).toBe('named')
  })
})

describe('warnings', () => {
  it('are told once for each answer, and a throwing listener breaks nothing', async () => {
    const told: unknown[] = []
    const client = aiSdkModel(setup.provider, {
      onWarnings(warnings) {
        told.push(...warnings)
        throw new Error('a broken listener')
      },
    })
    const what = prompt(undefined, { settings: { topK: 5 } })
    setup.server.reply({ json: completion(said('a')) })
    expect((await client.create(what, {})).text).toBe('a')
    setup.server.reply({ events: completionEvents(completion(said('b'))) })
    expect((await streamed(client, what)).result.text).toBe('b')
    expect(told).toHaveLength(2)
  })
})

describe('a stream', () => {
  it('shows reasoning and text as they come', async () => {
    const whole = completion(said('Yes, it is.', { reasoning_content: 'Weighing.' }))
    setup.server.reply({ events: completionEvents(whole) })
    const { deltas } = await streamed(model(), prompt())
    expect(textOf(deltas, 'reasoning')).toBe('Weighing.')
    expect(deltas.filter(({ type }) => type === 'text').length).toBeGreaterThan(2)
  })
})
