import { aiSdkModel } from '@holdfast/ai-sdk'
import { createAgent, InMemoryAgentMemory, tool } from '@holdfast/core'
import { expect, it } from 'vitest'
import { SECRET } from '../../openai/test/support/model-checks.ts'
import { completion, completionEvents } from '../../openai/test/support/wire-server.ts'
import { wire } from './support/model-setup.ts'

const setup = wire()

it('goes through a retry, parallel tools and an answer, and again in the next run', async () => {
  const weather = tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    execute: ({ city }) => `sun in ${city}`,
  })
  const call = (id: string, city: string) => ({
    id,
    type: 'function',
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  })
  const asked = {
    role: 'assistant',
    content: null,
    reasoning_content: 'Two cities.',
    tool_calls: [call('a', 'Bern'), call('b', 'Basel')],
  }
  const agent = createAgent({
    modelClient: aiSdkModel(setup.provider),
    model: 'test-model',
    tools: [weather],
  })
  const memory = new InMemoryAgentMemory()
  setup.server.reply(
    { status: 503, headers: { 'retry-after-ms': '5' }, json: { error: { message: SECRET } } },
    { events: completionEvents(completion(asked)) },
    { events: completionEvents(completion({ role: 'assistant', content: 'Sunny.' })) },
    { json: completion({ role: 'assistant', content: 'Bye.' }) },
  )
  const stream = agent.stream('Weather?', { memory })
  let text = ''
  for await (const piece of stream.textStream) text += piece
  expect(text).toBe('Sunny.')
  expect(await stream.result).toMatchObject({ steps: 2, usage: { totalTokens: 36 } })
  expect((await agent.run('Thanks', { memory })).text).toBe('Bye.')
  expect(setup.server.requests.at(-1)?.body.messages).toMatchObject([
    { role: 'user', content: 'Weather?' },
    asked,
    { role: 'tool', tool_call_id: 'a', content: 'sun in Bern' },
    { role: 'tool', tool_call_id: 'b', content: 'sun in Basel' },
    { role: 'assistant', content: 'Sunny.' },
    { role: 'user', content: 'Thanks' },
  ])
})
