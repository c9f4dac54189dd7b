import { type ScriptedStep, scriptedModel, userMessage } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { assistant, deferred, thrown } from './support.ts'

const prompt = () => ({ model: 'm', items: [userMessage('Hi')], tools: [] })

describe('scriptedModel', () => {
  it('answers text, parts and functions in turn', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
    const model = scriptedModel([
      'plain',
      {
        text: 'Looking.',
        items: [{ type: 'reasoning', id: 'r' }],
        calls: [
          { name: 'a', arguments: { x: 1 }, callId: '1' },
          { name: 'b', arguments: 'not json' },
          { name: 'c' },
        ],
        usage,
      },
      async ({ items }) => `${items.length} item`,
      {},
    ])
    expect(await model.create(prompt(), {})).toEqual({
      memoryItems: [assistant('plain')],
      toolCalls: [],
      text: 'plain',
    })
    expect(await model.create(prompt(), {})).toEqual({
      memoryItems: [
        { type: 'reasoning', id: 'r' },
        assistant('Looking.'),
        { type: 'function_call', call_id: '1', name: 'a', arguments: '{"x":1}' },
        { type: 'function_call', name: 'b', arguments: 'not json' },
        { type: 'function_call', name: 'c', arguments: '{}' },
      ],
      toolCalls: [
        { callId: '1', name: 'a', arguments: '{"x":1}' },
        { callId: null, name: 'b', arguments: 'not json' },
        { callId: null, name: 'c', arguments: '{}' },
      ],
      text: 'Looking.',
      usage,
    })
    expect((await model.create(prompt(), {})).text).toBe('1 item')
    expect(await model.create(prompt(), {})).toEqual({ memoryItems: [], toolCalls: [], text: '' })
  })

  it('keeps detached copies of the prompts', async () => {
    const model = scriptedModel([
      (own) => {
        own.items.length = 0
        return 'x'
      },
    ])
    const handed = prompt()
    await model.create(handed, {})
    handed.items.push(userMessage('later'))
    expect(model.prompts).toEqual([prompt()])
  })

  it('says how many turns there were when they are used up', async () => {
    const model = scriptedModel(['x'])
    await model.create(prompt(), {})
    await expect(model.create(prompt(), {})).rejects.toThrow(/1 turns.*call 2/)
    expect(model.prompts).toHaveLength(2)
  })

  it('takes its own copy of the list of turns', async () => {
    const turns: ScriptedStep[] = ['x']
    const model = scriptedModel(turns)
    turns[0] = 'y'
    expect((await model.create(prompt(), {})).text).toBe('x')
  })

  it('heeds the signal before and after a turn', async () => {
    const reason = new Error('stop')
    const gate = deferred<string>()
    const model = scriptedModel([() => gate.promise, 'x'])
    const controller = new AbortController()
    const answer = model.create(prompt(), { signal: controller.signal })
    controller.abort(reason)
    gate.resolve('late')
    await expect(answer).rejects.toBe(reason)
    await expect(model.create(prompt(), { signal: controller.signal })).rejects.toBe(reason)
    expect(model.prompts).toHaveLength(1)
  })

  it('refuses what is no script', async () => {
    thrown(() => scriptedModel('x' as never), 'INVALID_ARGUMENT')
    thrown(() => scriptedModel(['x', 5 as never]), 'INVALID_ARGUMENT')
    thrown(() => scriptedModel([{ calls: 5 } as never]), 'INVALID_ARGUMENT')
    thrown(() => scriptedModel([null as never]), 'INVALID_ARGUMENT')
    await expect(
      scriptedModel([() => undefined as never]).create(prompt(), {}),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
