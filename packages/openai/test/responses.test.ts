import { functionCallOutput, userMessage } from '@holdfast/core'
import { openaiResponses } from '@holdfast/openai'
import { describe, expect, it } from 'vitest'
import { lastOf, prompt, streamed, textOf } from './support/model-checks.ts'
import { wire } from './support/model-setup.ts'
import { response, responseEvents } from './support/wire-server.ts'

const setup = wire()
const model = () => openaiResponses(setup.client)

const message = (text: string, id = 'msg_1') => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Weighing both answers.' }],
  encrypted_content: 'gAAAAABo9+/=',
}
const call = (id: string, args = '{"city":"Bern"}') => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${id}`,
  name: 'weather',
  arguments: args,
})
const weather = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

/** The same answer in one piece and streamed. */
const ways = {
  'in one piece': async (output: Parameters<typeof response>[0], more = {}) => {
    setup.server.reply({ json: response(output, more) })
    return model().create(prompt(), {})
  },
  streamed: async (output: Parameters<typeof response>[0], more = {}) => {
    setup.server.reply({ events: responseEvents(response(output, more)) })
    return (await streamed(model(), prompt())).result
  },
}

describe.each(Object.entries(ways))('an answer %s', (_, answer) => {
  it('is text with usage and the reason of its end', async () => {
    expect(await answer([message('Bern lies on the Aare. 🏞️')])).toEqual({
      memoryItems: [message('Bern lies on the Aare. 🏞️')],
      toolCalls: [],
      text: 'Bern lies on the Aare. 🏞️',
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
      finishReason: 'completed',
    })
  })

  it('keeps every item byte for byte, unknown types too', async () => {
    const output = [
      reasoning,
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
      { type: 'of_tomorrow', deep: { list: [1, null, 'x'], empty: {} } },
      message('one '),
      message('two', 'msg_2'),
    ]
    const result = await answer(output)
    expect(JSON.stringify(result.memoryItems)).toBe(JSON.stringify(output))
    expect(result.text).toBe('one two')
  })

  it('names parallel calls in order, malformed arguments as they are', async () => {
    const output = [reasoning, call('a'), call('b', '{"city":'), call('c', '')]
    const result = await answer(output)
    expect(result.toolCalls).toEqual([
      { callId: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' },
      { callId: 'call_b', name: 'weather', arguments: '{"city":' },
      { callId: 'call_c', name: 'weather', arguments: '{}' },
    ])
    expect(result.memoryItems).toEqual(output)
  })

  it('says null for a call id that is missing or blank', async () => {
    const { call_id: _, ...without } = call('a')
    const result = await answer([without, { ...call('b'), call_id: '' }])
    expect(result.toolCalls.map(({ callId }) => callId)).toEqual([null, null])
  })

  it('is text where the model refuses', async () => {
    const refusal = {
      ...message(''),
      content: [{ type: 'refusal', refusal: 'I cannot help with that.' }],
    }
    const result = await answer([refusal])
    expect(result.text).toBe('I cannot help with that.')
    expect(result.memoryItems).toEqual([refusal])
  })

  it('may be empty', async () => {
    const result = await answer([])
    expect(result).toMatchObject({ memoryItems: [], toolCalls: [], text: '' })
  })

  it('keeps what an incomplete one has, with the reason', async () => {
    const more = {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    }
    const result = await answer([message('Half of i')], more)
    expect(result).toMatchObject({ text: 'Half of i', finishReason: 'max_output_tokens' })
  })
})

describe('what is sent', () => {
  it('asks for nothing to be kept, and for encrypted reasoning', async () => {
    await ways['in one piece']([message('x')])
    const { path, body } = lastOf(setup.server)
    expect(path).toBe('/v1/responses')
    expect(body).toEqual({
      model: 'test-model',
      input: prompt().items,
      store: false,
      include: ['reasoning.encrypted_content'],
      stream: false,
    })
  })

  it.each([
    'gpt-4.1-mini',
    'gpt-4o',
    'ft:gpt-4o:x',
    'openai/gpt-4o',
    'gpt-5.1-chat-latest',
    'chatgpt-4o-latest',
  ])('asks %s for no reasoning, which it has not', async (name) => {
    setup.server.reply({ json: response([message('x')]) })
    await model().create(prompt(undefined, { model: name }), {})
    expect(lastOf(setup.server).body).not.toHaveProperty('include')
  })

  it('lets settings through, also over the defaults, but not over the prompt', async () => {
    setup.server.reply({ json: response([message('x')]) })
    const settings = {
      store: true,
      include: [],
      temperature: 0.2,
      reasoning: { effort: 'low' },
      tool_choice: 'required',
      model: 'another',
      input: 'another',
      stream: true,
      tools: [{ type: 'web_search' }],
    }
    await model().create(prompt(undefined, { settings, tools: [weather] }), {})
    expect(lastOf(setup.server).body).toEqual({
      store: true,
      include: [],
      temperature: 0.2,
      reasoning: { effort: 'low' },
      tool_choice: 'required',
      model: 'test-model',
      input: prompt().items,
      tools: [{ type: 'function', ...weather, strict: false }, { type: 'web_search' }],
      stream: false,
    })
  })

  it('names instructions, strict tools and the schema of the answer', async () => {
    setup.server.reply({ json: response([message('{}')]) })
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } }
    const strict = openaiResponses(setup.client, { strictTools: true, strictOutput: true })
    await strict.create(
      prompt(undefined, {
        instructions: 'Be brief.',
        outputSchema,
        tools: [weather],
        settings: { text: { verbosity: 'low' } },
      }),
      {},
    )
    const { body } = lastOf(setup.server)
    expect(body.instructions).toBe('Be brief.')
    expect(body.tools).toEqual([{ type: 'function', ...weather, strict: true }])
    expect(body.text).toEqual({
      format: { type: 'json_schema', name: 'output', schema: outputSchema, strict: true },
      verbosity: 'low',
    })
  })

  it('carries images and files as they are', async () => {
    const item = {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is this?' },
        { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
        { type: 'input_image', file_id: 'file_7', detail: 'auto' },
        {
          type: 'input_file',
          filename: 'a.pdf',
          file_data: 'data:application/pdf;base64,JVBERi0=',
        },
        { type: 'input_file', file_url: 'https://example.com/b.pdf' },
      ],
    }
    setup.server.reply({ json: response([message('A map.')]) })
    await model().create(prompt([item]), {})
    expect(JSON.stringify(lastOf(setup.server).body.input)).toBe(JSON.stringify([item]))
  })

  it('gives the items of two turns back byte for byte', async () => {
    const first = [reasoning, message('Let me look.'), call('a'), call('b')]
    const history = [userMessage('Weather?'), ...(await ways.streamed(first)).memoryItems]
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }
    history.push(functionCallOutput('call_a', 'sunny'), functionCallOutput('call_b', [image]))
    setup.server.reply({ json: response([message('Sunny.', 'msg_3')]) })
    const second = await model().create(prompt(history), {})
    history.push(...second.memoryItems, userMessage('Thanks'))
    setup.server.reply({ json: response([message('Bye.', 'msg_4')]) })
    await model().create(prompt(history), {})
    expect(JSON.stringify(lastOf(setup.server).body.input)).toBe(JSON.stringify(history))
  })

  it('leaves out what another client noted on its items, and reasoning that is not of this API', async () => {
    const providerData = { openaiChat: { field: 'reasoning_content' } }
    const items = [
      userMessage('Hi'),
      { type: 'reasoning', summary: [], content: [], providerData },
      { type: 'provider_part', providerData: { aiSdk: { part: { type: 'file' } } } },
      { type: 'message', role: 'assistant', content: 'Hello', providerData },
    ]
    setup.server.reply({ json: response([message('x')]) })
    await model().create(prompt(items), {})
    expect(lastOf(setup.server).body.input).toEqual([
      userMessage('Hi'),
      { type: 'message', role: 'assistant', content: 'Hello' },
    ])
  })
})

describe('a stream', () => {
  it('shows reasoning and text as they come', async () => {
    setup.server.reply({ events: responseEvents(response([reasoning, message('Yes, it is.')])) })
    const { deltas } = await streamed(model(), prompt())
    expect(textOf(deltas, 'reasoning')).toBe('Weighing both answers.')
    expect(deltas.filter(({ type }) => type === 'text').length).toBeGreaterThan(2)
    expect(lastOf(setup.server).body.stream).toBe(true)
  })

  it('takes the items from their own events where the final response leaves them out', async () => {
    const whole = response([reasoning, message('Yes.'), call('a')])
    const events = responseEvents(whole).map((event) =>
      event['type'] === 'response.completed' ? { ...event, response: response([]) } : event,
    )
    setup.server.reply({ events })
    const { result } = await streamed(model(), prompt())
    expect(JSON.stringify(result.memoryItems)).toBe(JSON.stringify(whole.output))
  })

  it('orders those items by their place, not by when they were done', async () => {
    const output = [reasoning, message('Yes.'), call('a')]
    const done = output.map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    }))
    const end = { type: 'response.completed', response: response([]) }
    setup.server.reply({ events: [done[2], done[0], done[1], end].map(Object) })
    const { result } = await streamed(model(), prompt())
    expect(result.memoryItems).toEqual(output)
  })

  it('shows the text that no delta has shown', async () => {
    const whole = response([message('Yes, '), message('it is.', 'msg_2')])
    const delta = { type: 'response.output_text.delta', delta: 'Yes' }
    const end = { type: 'response.completed', response: whole }
    setup.server.reply({ events: [end] }, { events: [delta, end] })
    expect(textOf((await streamed(model(), prompt())).deltas)).toBe('Yes, it is.')
    const { deltas } = await streamed(model(), prompt())
    expect(deltas.slice(0, 2)).toEqual([
      { type: 'text', text: 'Yes' },
      { type: 'text', text: ', it is.' },
    ])
  })

  it('stands where the connection breaks behind its last event', async () => {
    setup.server.reply({ events: responseEvents(response([message('Yes.')])), ending: 'break' })
    expect((await streamed(model(), prompt())).result.text).toBe('Yes.')
  })
})

describe('the door', () => {
  it.each([undefined, {}, { responses: {} }])('refuses what is no client: %j', (client) => {
    expect(() => openaiResponses(client as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})
