import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type AgentItem,
  createAgent,
  InMemoryAgentMemory,
  type ModelClient,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { call, expectPaired, output, rejection, simpleTool } from './support.ts'

const modelOf = (memoryItems: AgentItem[], calls: number): ModelClient => {
  let asked = 0
  return {
    async create() {
      if (asked++ > 0) return { memoryItems: [], toolCalls: [], text: 'done' }
      const toolCalls = Array.from({ length: calls }, () => ({ name: 't', arguments: '{}' }))
      return { memoryItems, toolCalls, text: '' }
    },
  }
}

describe('a run', () => {
  it('never gives a call an id that another item of its batch carries', async () => {
    const memory = new InMemoryAgentMemory()
    const modelClient = modelOf(
      [
        { type: 'custom_call', call_id: 'tool_step_0_0' },
        { type: 'function_call', name: 't', arguments: '{}' },
      ],
      1,
    )
    const agent = createAgent({ modelClient, model: 'm', tools: [simpleTool('t', () => 'x')] })
    await agent.run('1', { memory })
    const ids = (await memory.getItems()).map((item) => item['call_id'])
    expect(ids).toEqual([undefined, 'tool_step_0_0', 'tool_step_0_0_2', 'tool_step_0_0_2'])
  })

  it('closes a call that came in with the input behind the input, once', async () => {
    const memory = new InMemoryAgentMemory()
    await memory.addOutputItems([call('t', 'old')])
    const agent = createAgent({ modelClient: scriptedModel(['ok']), model: 'm' })
    await agent.run([userMessage('hi'), call('t', 'new'), output('old', 'x')], { memory })
    const items = await memory.getItems()
    expect(items.map(({ type, call_id }) => `${type} ${call_id ?? ''}`.trim())).toEqual([
      'function_call old',
      'message',
      'function_call new',
      'function_call_output old',
      'function_call_output new',
      'message',
    ])
    expectPaired(items)
  })

  it('goes on where a tool answers with an empty toJSON, or with the content of another version', async () => {
    for (const [value, stored] of [
      [{ toJSON() {} }, ''],
      [{ [Symbol.for('holdfast.content')]: 5 }, expect.stringContaining('Error')],
    ]) {
      const memory = new InMemoryAgentMemory()
      const modelClient = scriptedModel([{ calls: [{ name: 't', callId: 'c' }] }, 'done'])
      const agent = createAgent({ modelClient, model: 'm', tools: [simpleTool('t', () => value)] })
      expect((await agent.run('1', { memory })).text).toBe('done')
      expect((await memory.getItems())[2]).toEqual(output('c', stored as string))
    }
  })

  it('refuses a memory whose getItems answers no array, and a signal that cannot be left', async () => {
    const memory = Object.assign(new InMemoryAgentMemory(), { getItems: async () => undefined })
    const agent = createAgent({ modelClient: scriptedModel(['ok']), model: 'm' })
    await rejection(agent.run('1', { memory: memory as never }), 'INVALID_ARGUMENT')
    const signal = { aborted: false, addEventListener() {} }
    const good = new InMemoryAgentMemory()
    await rejection(agent.run('1', { memory: good, signal: signal as never }), 'INVALID_ARGUMENT')
    expect((await agent.run('1', { memory: good })).text).toBe('ok')
  })

  it('stores the outputs of all calls where a memory throws at once for one', async () => {
    const memory = new InMemoryAgentMemory()
    const add = memory.addToolOutput.bind(memory)
    const boom = new Error('boom')
    memory.addToolOutput = (callId, text) => {
      if (callId === 'a') throw boom
      return add(callId, text)
    }
    const calls = [
      { name: 'fast', callId: 'a' },
      { name: 'slow', callId: 'b' },
    ]
    const slow = () => new Promise((resolve) => setTimeout(() => resolve('late'), 10))
    const agent = createAgent({
      modelClient: scriptedModel([{ calls }]),
      model: 'm',
      tools: [simpleTool('fast', () => 'x'), simpleTool('slow', slow)],
    })
    await expect(agent.run('1', { memory })).rejects.toBe(boom)
    expect(await memory.getItems()).toContainEqual(output('b', 'late'))
  })

  it('lets go of what its model and tools have answered while it goes on', async () => {
    setFlagsFromString('--expose_gc')
    const gc = runInNewContext('gc') as () => void
    let held = 0
    const modelClient: ModelClient = {
      async create() {
        held++
        const big = { text: 'x'.repeat(1_000), list: new Array(1_000).fill(0) }
        registry.register(big, undefined)
        const memoryItems = [{ type: 'function_call', name: 't', arguments: '{}' }]
        return Object.assign(big, { memoryItems, toolCalls: [{ name: 't', arguments: '{}' }] })
      },
    }
    const registry = new FinalizationRegistry(() => held--)
    const memory = new InMemoryAgentMemory()
    let seen = Number.POSITIVE_INFINITY
    let step = 0
    const agent = createAgent({
      modelClient,
      model: 'm',
      maxSteps: 60,
      tools: [
        simpleTool('t', async () => {
          if (++step < 60) return ''
          for (let round = 0; round < 20 && held > 10; round++) {
            gc()
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
          seen = held
          return ''
        }),
      ],
    })
    await rejection(agent.run('1', { memory }), 'LIMIT_EXCEEDED')
    expect(seen).toBeLessThan(10)
  })
})
