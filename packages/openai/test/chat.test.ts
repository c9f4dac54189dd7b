import { functionCallOutput, systemMessage, userMessage } from '@holdfast/core'
import { openaiChat, openaiResponses } from '@holdfast/openai'
import { describe, expect, it } from 'vitest'
import { lastOf, prompt, streamed, textOf } from './support/model-checks.ts'
import { wire } from './support/model-setup.ts'
import { completion, completionEvents, DONE, response } from './support/wire-server.ts'

const setup = wire()
const model = () => openaiChat(setup.client)

const said = (text: string, more = {}) => ({
  role: 'assistant',
  content: text,
  refusal: null,
  annotations: [],
  ...more,
})
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

/** The messages that are sent for these items. */
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
        providerData: { openaiChat: { field: 'reasoning_content' } },
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

  it('goes back as it came, with what the endpoint added to it', async () => {
    const message = {
      role: 'assistant',
      content: null,
      reasoning: 'Hm.',
      tool_calls: [
        call('call_a', '{}', { extra_content: { google: { thought_signature: 'c2ln' } } }),
        call('call_b'),
      ],
      reasoning_details: [{ type: 'reasoning.encrypted', data: 'ZW5j', index: 0 }],
    }
    const { memoryItems } = await answer(message)
    const outputs = [functionCallOutput('call_a', 'sunny'), functionCallOutput('call_b', 'rain')]
    const { messages } = await sent([userMessage('Hi'), ...memoryItems, ...outputs])
    expect(messages[1]).toEqual(message)
    expect(JSON.stringify(messages[1].tool_calls)).toBe(JSON.stringify(message.tool_calls))
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call_a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_b', content: 'rain' },
    ])
  })

  it('says null for a call id that is missing', async () => {
    const result = await answer(said('', { tool_calls: [call('')] }))
    expect(result.toolCalls).toEqual([
      { callId: null, name: 'weather', arguments: '{"city":"Bern"}' },
    ])
    expect(result.memoryItems).toMatchObject([{ type: 'function_call', call_id: null }])
  })

  it('is text where the model refuses, and a refusal again when it goes back', async () => {
    const message = { role: 'assistant', content: null, refusal: 'I cannot help with that.' }
    const result = await answer(message)
    expect(result.text).toBe('I cannot help with that.')
    expect((await sent(result.memoryItems)).messages).toEqual([message])
  })

  it('may be empty', async () => {
    const result = await answer(said(''), { finish_reason: 'length' })
    expect(result).toMatchObject({ memoryItems: [], text: '', finishReason: 'length' })
  })

  it('may be an image alone, which is kept and goes back', async () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }]
    const { memoryItems, text } = await answer(said('', { images }))
    expect([memoryItems.length, text]).toEqual([1, ''])
    expect(memoryItems).toMatchObject([{ type: 'message', role: 'assistant', content: [] }])
    const { messages } = await sent([userMessage('Draw'), ...memoryItems, userMessage('Again')])
    expect(messages.slice(1, 2)).toEqual([{ role: 'assistant', content: '', images }])
    // The Responses API takes no message without content.
    setup.server.reply({ json: response([]) })
    await openaiResponses(setup.client).create(prompt([userMessage('Hi'), ...memoryItems]), {})
    expect(lastOf(setup.server).body.input).toEqual([userMessage('Hi')])
  })

  it('is a call where it names a function in the old way', async () => {
    const function_call = { name: 'weather', arguments: '{"city":"Bern"}' }
    const result = await answer({ role: 'assistant', content: null, function_call })
    expect(result.toolCalls).toEqual([{ callId: null, ...function_call }])
    expect(result.memoryItems).toEqual([{ type: 'function_call', call_id: null, ...function_call }])
  })

  it('keeps reasoning that comes as parts of the content, and gives it back as such', async () => {
    const content = [
      {
        type: 'thinking',
        thinking: [
          { type: 'text', text: 'Two ' },
          { type: 'text', text: 'ways.' },
        ],
      },
      { type: 'text', text: 'The left one.' },
    ]
    const { memoryItems, text } = await answer({ role: 'assistant', content })
    expect(text).toBe('The left one.')
    expect(memoryItems).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Two ways.' }] },
      item('The left one.'),
    ])
    const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Two ways.' }] }
    expect((await sent(memoryItems)).messages).toEqual([
      { role: 'assistant', content: [thought, content[1]] },
    ])
    const omit = openaiChat(setup.client, { reasoning: 'omit' })
    expect((await sent(memoryItems, {}, omit)).messages).toEqual([
      { role: 'assistant', content: 'The left one.' },
    ])
  })
})

describe('items as messages', () => {
  it('keeps roles, and sends plain text as a string', async () => {
    const developer = { type: 'message', role: 'developer', content: 'Mind the gap.' }
    const more = { instructions: 'Be brief.' }
    const { messages } = await sent(
      [
        systemMessage('So far: nothing.'),
        developer,
        userMessage('Hi'),
        item('Hello'),
        userMessage(''),
      ],
      more,
    )
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'So far: nothing.' },
      { role: 'developer', content: 'Mind the gap.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: '' },
    ])
  })

  it('carries images, files, audio and parts that it does not know', async () => {
    const image_url = 'data:image/png;base64,iVBORw0KGgo='
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url, detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', file_id: 'file_7' },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'https://example.com/v.mp4' } },
    ]
    const { messages } = await sent([{ type: 'message', role: 'user', content }])
    expect(messages[0].content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: image_url, detail: 'low' } },
      {
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      },
      { type: 'file', file: { file_id: 'file_7' } },
      ...content.slice(4),
    ])
  })

  it.each([
    { type: 'input_image', file_id: 'file_7' },
    { type: 'input_file', file_url: 'https://example.com/b.pdf' },
  ])('refuses what Chat Completions cannot carry: %j', async (part) => {
    const before = setup.server.requests.length
    const items = [{ type: 'message', role: 'user', content: [part] }]
    await expect(model().create(prompt(items), {})).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(setup.server.requests).toHaveLength(before)
  })

  it('groups calls of the Responses API, and puts their outputs right behind them', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
    const made = (id: string) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name: 'weather',
      arguments: '{}',
      status: 'completed',
    })
    const { messages } = await sent([
      userMessage('Hi'),
      reasoning,
      made('a'),
      reasoning,
      made('b'),
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      item('Looking.'),
      item('Still looking.'),
      functionCallOutput('b', 'rain'),
      userMessage('Still there?'),
      functionCallOutput('a', 'sun'),
      item('One.'),
      item('Two.'),
    ])
    const plain = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
    })
    expect(messages).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Looking.\nStill looking.',
        tool_calls: [plain('a'), plain('b')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'sun' },
      { role: 'tool', tool_call_id: 'b', content: 'rain' },
      { role: 'user', content: 'Still there?' },
      { role: 'assistant', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
    ])
  })

  it('sends the images of a tool output in a user message behind all outputs', async () => {
    const image_url = 'https://example.com/a.png'
    const calls = ['a', 'b'].map((id) => ({
      type: 'function_call',
      call_id: id,
      name: 'shot',
      arguments: '{}',
    }))
    const parts = [
      { type: 'input_text', text: 'The screen:' },
      { type: 'input_image', image_url },
    ]
    const outputs = [functionCallOutput('a', parts), functionCallOutput('b', 'done')]
    const { messages } = await sent([...calls, ...outputs])
    expect(messages.slice(1).map(({ role }: { role: string }) => role)).toEqual([
      'tool',
      'tool',
      'user',
    ])
    expect(messages[1].content[0]).toEqual({ type: 'text', text: 'The screen:' })
    expect(messages[2].content).toBe('done')
    expect(messages[3].content[1]).toEqual({ type: 'image_url', image_url: { url: image_url } })
  })

  it('keeps reasoning back where it is told to', async () => {
    const { memoryItems } = await ways.streamed(said('Yes.', { reasoning_content: 'Hm.' }))
    const omit = openaiChat(setup.client, { reasoning: 'omit' })
    expect((await sent(memoryItems)).messages).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
    ])
    expect((await sent(memoryItems, {}, omit)).messages).toEqual([
      { role: 'assistant', content: 'Yes.' },
    ])
    expect((await sent(memoryItems.slice(0, 1), {}, omit)).messages).toEqual([])
  })

  it('gives two turns back as they were', async () => {
    const first = said('Let me look.', { tool_calls: [call('call_a'), call('call_b')] })
    const history = [userMessage('Weather?'), ...(await ways.streamed(first)).memoryItems]
    history.push(functionCallOutput('call_a', 'sun'), functionCallOutput('call_b', 'rain'))
    setup.server.reply({ json: completion(said('Mixed.')) })
    history.push(...(await model().create(prompt(history), {})).memoryItems)
    const { messages } = await sent([...history, userMessage('Thanks')])
    const { refusal: _, annotations: __, ...bare } = first
    expect(JSON.stringify(messages)).toBe(
      JSON.stringify([
        { role: 'user', content: 'Weather?' },
        bare,
        { role: 'tool', tool_call_id: 'call_a', content: 'sun' },
        { role: 'tool', tool_call_id: 'call_b', content: 'rain' },
        { role: 'assistant', content: 'Mixed.' },
        { role: 'user', content: 'Thanks' },
      ]),
    )
  })
})

describe('what is sent beside messages', () => {
  it('names tools, and the schema of the answer', async () => {
    const outputSchema = { type: 'object' }
    const body = await sent(undefined, { tools: [weather], outputSchema })
    expect(body.tools).toEqual([{ type: 'function', function: weather }])
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: outputSchema },
    })
    const strict = openaiChat(setup.client, {
      strictTools: true,
      strictOutput: true,
      instructionsRole: 'developer',
    })
    const all = { tools: [weather], outputSchema, instructions: 'Be brief.' }
    const other = await sent(undefined, all, strict)
    expect(other.tools[0].function.strict).toBe(true)
    expect(other.response_format.json_schema.strict).toBe(true)
    expect(other.messages[0]).toEqual({ role: 'developer', content: 'Be brief.' })
  })

  it('lets settings through, also over the defaults, but not over the prompt', async () => {
    const settings = {
      temperature: 0,
      model: 'another',
      messages: [],
      stream: true,
      response_format: { type: 'json_object' },
    }
    expect(await sent([userMessage('Hi')], { settings, outputSchema: {} })).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Hi' }],
      temperature: 0,
      response_format: { type: 'json_object' },
      stream: false,
    })
  })
})

describe('a stream', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  const pieces = async (...events: object[]) => {
    setup.server.reply({ events: [...events, DONE] })
    return (await streamed(model(), prompt())).result
  }

  it('shows reasoning and text as they come, and asks for usage', async () => {
    const whole = completion(said('Yes, it is.', { reasoning: 'Weighing.' }))
    setup.server.reply({ events: completionEvents(whole) })
    const { deltas } = await streamed(model(), prompt())
    expect(textOf(deltas, 'reasoning')).toBe('Weighing.')
    expect(deltas.filter(({ type }) => type === 'text').length).toBeGreaterThan(2)
    expect(lastOf(setup.server).body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('shows reasoning that comes as parts of the content', async () => {
    const thinking = [{ type: 'text', text: 'Hm.' }]
    setup.server.reply({
      events: [
        chunk({ content: [{ type: 'thinking', thinking }] }),
        chunk({ content: 'Ye' }),
        chunk({ content: [{ type: 'text', text: 's.' }] }, 'stop'),
      ],
    })
    const { deltas } = await streamed(model(), prompt())
    expect([textOf(deltas, 'reasoning'), textOf(deltas)]).toEqual(['Hm.', 'Yes.'])
  })

  it('asks for no usage where it is told not to', async () => {
    setup.server.reply({ events: [chunk({ content: 'x' }, 'stop'), DONE] })
    const { result } = await streamed(openaiChat(setup.client, { streamUsage: false }), prompt())
    expect(result).not.toHaveProperty('usage')
    expect(lastOf(setup.server).body).not.toHaveProperty('stream_options')
  })

  it.each<[string, object[]]>([
    [
      'without an index',
      [
        { id: 'a', function: { name: 'weather', arguments: '{"x":1}' } },
        { id: 'b', function: { name: 'time', arguments: '{}' } },
      ],
    ],
    [
      'with index 0 for each',
      [
        { index: 0, id: 'a', function: { name: 'weather', arguments: '{"x":1}' } },
        { index: 0, id: 'b', function: { name: 'time', arguments: '{}' } },
      ],
    ],
    [
      'with id and name on every piece',
      [
        { index: 0, id: 'a', function: { name: 'weather', arguments: '{"x"' } },
        { index: 0, id: 'a', function: { name: 'weather', arguments: ':1}' } },
        { index: 1, id: 'b', function: { name: 'time', arguments: '{}' } },
      ],
    ],
    [
      'interleaved',
      [
        { index: 0, id: 'a', function: { name: 'weather', arguments: '{"x"' } },
        { index: 1, id: 'b', function: { name: 'time' } },
        { index: 0, function: { arguments: ':1}' } },
        { index: 1, function: { arguments: '{}' } },
      ],
    ],
    [
      'in another order than that of their index',
      [
        { index: 1, id: 'b', function: { name: 'time', arguments: '{}' } },
        { index: 0, id: 'a', function: { name: 'weather', arguments: '{"x":1}' } },
      ],
    ],
    [
      'with arguments as an object',
      [
        { index: 0, id: 'a', function: { name: 'weather', arguments: { x: 1 } } },
        { index: 1, id: 'b', function: { name: 'time', arguments: {} } },
      ],
    ],
  ])('puts calls together that come %s', async (_, calls) => {
    const deltas = calls.map((one) => chunk({ tool_calls: [one] }))
    const result = await pieces(...deltas, chunk({}, 'tool_calls'))
    expect(result.toolCalls).toEqual([
      { callId: 'a', name: 'weather', arguments: '{"x":1}' },
      { callId: 'b', name: 'time', arguments: '{}' },
    ])
  })

  it.each([{}, { id: '' }, { id: null }])(
    'begins a new call behind whole arguments, with index 0 and %j for each',
    async (id) => {
      const piece = (made: object) => chunk({ tool_calls: [{ index: 0, ...id, function: made }] })
      const result = await pieces(
        piece({ name: 'weather', arguments: '{"city"' }),
        // The name again, in the midst of arguments and behind them.
        piece({ name: 'weather', arguments: ':"Bern"}' }),
        piece({ name: 'weather', arguments: '' }),
        piece({ name: 'weather', arguments: '{"city":"Basel"}' }),
        piece({ name: 'time', arguments: '' }),
        piece({ arguments: '{}' }),
        chunk({}, 'tool_calls'),
      )
      expect(result.toolCalls).toEqual([
        { callId: null, name: 'weather', arguments: '{"city":"Bern"}' },
        { callId: null, name: 'weather', arguments: '{"city":"Basel"}' },
        { callId: null, name: 'time', arguments: '{}' },
      ])
    },
  )

  it('ends well without [DONE] and without usage, and takes the first of several answers', async () => {
    const other = { choices: [{ index: 1, delta: { content: 'no' }, finish_reason: 'stop' }] }
    setup.server.reply({ events: [chunk({ content: 'yes' }), other, chunk({}, 'stop')] })
    expect((await streamed(model(), prompt())).result).toMatchObject({
      text: 'yes',
      finishReason: 'stop',
    })
  })

  it('stands where the connection breaks behind its end', async () => {
    setup.server.reply({ events: [chunk({ content: 'yes' }, 'stop')], ending: 'break' })
    expect((await streamed(model(), prompt())).result.text).toBe('yes')
  })
})

describe('the door', () => {
  it.each([undefined, {}, { chat: {} }, { chat: { completions: {} } }])(
    'refuses what is no client: %j',
    (client) => {
      expect(() => openaiChat(client as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    },
  )
})
