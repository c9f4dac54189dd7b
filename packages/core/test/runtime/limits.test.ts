import { createAgent, InMemoryAgentMemory, scriptedModel, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { agentOf, calls, expectFold } from '../sessions/session-support.ts'
import { client, expectPaired, never, output, rejection, simpleTool, thrown } from './support.ts'

const usage = { inputTokens: 4, outputTokens: 1, totalTokens: 5 }
const looping = () =>
  scriptedModel(Array.from({ length: 9 }, () => ({ ...calls('t'), text: 'more', usage })))
const tools = [simpleTool('t', () => 'x')]

describe('limits', () => {
  it.each([
    ['steps', { maxSteps: 2 }],
    ['tokens', { maxTokens: 10 }],
    ['tokens', { maxTokens: 6 }],
  ] as const)(
    'on %s end a run before the next model call, with what was done',
    async (limit, options) => {
      for (const where of ['run', 'agent']) {
        const modelClient = looping()
        const given = where === 'agent' ? options : {}
        const session = await agentOf([], { modelClient, tools, ...given }).newSession()
        const error = await rejection(
          session.run('Hi', where === 'run' ? options : {}),
          'LIMIT_EXCEEDED',
        )
        expect(error.limit).toBe(limit)
        expect(error.partial).toEqual({
          text: 'more',
          steps: 2,
          usage: { inputTokens: 8, outputTokens: 2, totalTokens: 10 },
        })
        expect(modelClient.prompts).toHaveLength(2)
        expectPaired(await session.memory.getItems())
        await rejection(session.run(null, options), 'LIMIT_EXCEEDED')
        expect(modelClient.prompts).toHaveLength(4)
        await expectFold(session)
      }
    },
  )

  it('those of the run go before those of the agent', async () => {
    const modelClient = looping()
    const agent = createAgent({ modelClient, model: 'm', tools, maxSteps: 1, maxTokens: 1 })
    await rejection(agent.run('Hi', { maxSteps: 3, maxTokens: 100 }), 'LIMIT_EXCEEDED')
    expect(modelClient.prompts).toHaveLength(3)
  })

  it('let an answer stand that went over them', async () => {
    const agent = agentOf([{ text: 'done', usage }])
    expect((await agent.run('Hi', { maxTokens: 1, maxSteps: 1 })).text).toBe('done')
  })

  it('count nothing where the client reports no usage', async () => {
    const agent = agentOf([calls('t'), calls('t'), 'done'], { tools })
    expect((await agent.run('Hi', { maxTokens: 1 })).usage.totalTokens).toBe(0)
  })

  it('on time end the run, tell the tools, and give every call its output', async () => {
    const signals: AbortSignal[] = []
    const slow = simpleTool('slow', (_, { signal }) => {
      signals.push(signal)
      return never()
    })
    const session = await agentOf([{ ...calls('slow', 't'), text: 'wait', usage }], {
      tools: [slow, ...tools],
    }).newSession()
    const error = await rejection(session.run('Hi', { timeoutMs: 20 }), 'LIMIT_EXCEEDED')
    expect(error).toMatchObject({ limit: 'time', partial: { text: 'wait', steps: 1, usage } })
    expect(signals[0]?.aborted).toBe(true)
    const items = await session.memory.getItems()
    expectPaired(items)
    expect(items).toContainEqual(output('slow', expect.stringMatching(/^Aborted: /)))
    expect(items).toContainEqual(output('t', 'x'))
    await expectFold(session)
  })

  it('on time end a model that hangs, too; the agent’s default counts', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = createAgent({ modelClient: client(never), model: 'm', timeoutMs: 10 })
    const error = await rejection(agent.run('Hi', { memory }), 'LIMIT_EXCEEDED')
    expect(error.partial).toMatchObject({ text: '', steps: 0 })
    expect(await memory.getItems()).toEqual([userMessage('Hi')])
  })

  it('that are none are refused', async () => {
    for (const name of ['maxSteps', 'timeoutMs', 'maxTokens']) {
      for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, 2 ** 53]) {
        thrown(() => agentOf([], { [name]: value }), 'INVALID_ARGUMENT')
        await rejection(agentOf(['a']).run('Hi', { [name]: value }), 'INVALID_ARGUMENT')
      }
    }
    await rejection(agentOf(['a']).run('Hi', { timeoutMs: 2 ** 31 }), 'INVALID_ARGUMENT')
    expect((await agentOf(['a']).run('Hi', { timeoutMs: 2 ** 31 - 1 })).text).toBe('a')
  })
})
