import { createAgent, InMemoryAgentMemory, type ModelClient, tool } from '@holdfast/core'
import { openaiChat, openaiResponses } from '@holdfast/openai'
import { expect, it } from 'vitest'
import { SECRET } from './support/model-checks.ts'
import { wire } from './support/model-setup.ts'
import { completion, completionEvents, response } from './support/wire-server.ts'

const setup = wire()
const limited = {
  status: 429,
  headers: { 'retry-after-ms': '5' },
  json: { error: { message: `Slow down: ${SECRET}`, code: 'rate_limit_exceeded' } },
}
const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
  execute: ({ city }) => `sun in ${city}`,
})

/** An agent over a fresh memory, and what it stored. */
const agentOver = (modelClient: ModelClient) => {
  const memory = new InMemoryAgentMemory()
  return { memory, agent: createAgent({ modelClient, model: 'test-model', tools: [weather] }) }
}

it('goes through retries, parallel tools and an answer on the Responses API', async () => {
  const call = (id: string, text: string) => ({
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name: 'weather',
    arguments: text,
  })
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAA' }
  const first = [reasoning, call('a', '{"city":"Bern"}'), call('b', '{"city":')]
  const content = [{ type: 'output_text', text: 'Sunny.', annotations: [] }]
  const last = [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content }]
  const { memory, agent } = agentOver(openaiResponses(setup.client))
  const before = setup.server.requests.length
  setup.server.reply(limited, { json: response(first) }, { json: response(last) })
  const result = await agent.run(SECRET, { memory })
  expect(result).toMatchObject({ text: 'Sunny.', steps: 2, usage: { totalTokens: 36 } })
  expect(setup.server.requests.length - before).toBe(3)

  // What was stored is what was answered, and what was sent again, byte for byte.
  const items = await memory.getItems()
  expect(JSON.stringify(items.slice(1, 4))).toBe(JSON.stringify(first))
  expect(JSON.stringify(items.slice(6))).toBe(JSON.stringify(last))
  const { input } = setup.server.requests.at(-1)?.body ?? {}
  expect(JSON.stringify(input.slice(0, 4))).toBe(JSON.stringify(items.slice(0, 4)))
  // Stored as they complete, shown in call order.
  expect(input.slice(4)).toEqual([
    { type: 'function_call_output', call_id: 'a', output: 'sun in Bern' },
    { type: 'function_call_output', call_id: 'b', output: expect.stringContaining('not JSON') },
  ])
  expect(items.slice(4, 6)).toEqual(expect.arrayContaining(input.slice(4)))
})

it('streams an answer of Chat Completions, and fills a call id that is missing', async () => {
  const tool_calls = [
    { id: '', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
  ]
  const asked = { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls }
  const { memory, agent } = agentOver(openaiChat(setup.client))
  setup.server.reply(
    limited,
    { events: completionEvents(completion(asked)) },
    { events: completionEvents(completion({ role: 'assistant', content: 'Sunny.' })) },
  )
  const stream = agent.stream(SECRET, { memory })
  const types = new Set<string>()
  let text = ''
  for await (const part of stream) {
    types.add(part.type)
    if (part.type === 'TEXT_DELTA' && 'text' in part) text += part.text
  }
  expect(text).toBe('Sunny.')
  expect(types).toContain('MODEL_RETRY')
  expect(types).toContain('REASONING_DELTA')
  const messages = setup.server.requests.at(-1)?.body.messages
  expect(messages).toMatchObject([
    { role: 'user', content: SECRET },
    { role: 'assistant', content: null, reasoning_content: 'Hm.' },
    { role: 'tool', content: 'sun in Bern' },
  ])
  expect(messages[2].tool_call_id).toBe(messages[1].tool_calls[0].id)
  expect(messages[2].tool_call_id).not.toBe('')
})

it('tells of a failure without the prompt', async () => {
  const { agent } = agentOver(openaiChat(setup.client))
  setup.server.reply({ status: 400, json: { error: { message: SECRET, code: 'bad_request' } } })
  const error = await agent.run(SECRET).catch((reason) => reason)
  expect(error).toMatchObject({ code: 'MODEL_FAILED', cause: { status: 400, retryable: false } })
  expect(error.message).toContain('bad_request')
  expect(error.message).not.toContain(SECRET)
})
