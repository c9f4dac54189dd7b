import { functionCallOutput, scriptedModel, type ToolContext, tool } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  ANY_OBJECT,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
} from '../runtime/support.ts'
import {
  agentOf,
  asking,
  calls,
  eventsOf,
  expectFold,
  risky,
  typesOf,
  waiting,
} from './session-support.ts'

describe('a tool that needs approval', () => {
  it('does not run before; the run ends as interrupted, and asks no model', async () => {
    let ran = 0
    const modelClient = scriptedModel([{ ...calls('risky'), text: 'may I?' }, 'done'])
    const tools = [risky(true, () => ++ran)]
    const session = await agentOf([], { modelClient, tools }).newSession()
    const result = await session.run('Hi')
    expect(result).toMatchObject({ status: 'interrupted', text: 'may I?', steps: 1 })
    expect(result.interruptions).toEqual([waiting('risky')])
    expect(await session.pending()).toEqual(result.interruptions)
    expect([ran, modelClient.prompts.length]).toEqual([0, 1])
    await session.answer('risky', { approve: true })
    expect(ran).toBe(0)
    expect(await session.pending()).toEqual([])
    expect(await session.run(null)).toMatchObject({ status: 'completed', text: 'done', steps: 1 })
    expect(ran).toBe(1)
    expect(await session.memory.getItems()).toContainEqual(output('risky', '1'))
    await expectFold(session)
  })

  it('is asked with the parsed arguments and the context; only what it says true for waits', async () => {
    const seen: unknown[] = []
    const needs = async (args: { n: number }, { callId, context }: ToolContext) => {
      seen.push([args, callId, context])
      return args.n > 1
    }
    const turn = { calls: [1, 2].map((n) => ({ name: 'risky', callId: `${n}`, arguments: { n } })) }
    const session = await agentOf([turn, 'done'], { tools: [risky(needs)] }).newSession()
    const result = await session.run('Hi', { context: 'ctx' })
    expect(result.interruptions.map(({ callId }) => callId)).toEqual(['2'])
    expect(seen).toEqual([
      [{ n: 1 }, '1', 'ctx'],
      [{ n: 2 }, '2', 'ctx'],
    ])
    await session.answer('2', { approve: true })
    await session.run(null)
    expect(seen).toHaveLength(2)
    expectPaired(await session.memory.getItems())
  })

  it('whose check throws, or whose arguments are wrong, waits for nobody', async () => {
    const throws = () => {
      throw new Error('who knows')
    }
    const bad = { calls: [{ name: 'risky', callId: 'bad', arguments: '{' }] }
    const session = await agentOf([calls('risky'), bad, 'done'], {
      tools: [risky(throws)],
    }).newSession()
    expect((await session.run('Hi')).status).toBe('completed')
    expect(await session.memory.getItems()).toContainEqual(output('risky', 'Error: who knows'))
  })

  it.each([
    ['reject', { reject: 'too risky' }, 'Rejected: too risky', false],
    ['output', { output: 'by hand' }, 'by hand', true],
    [
      'output',
      { output: [{ type: 'input_text', text: 'x' }] },
      [{ type: 'input_text', text: 'x' }],
      true,
    ],
  ] as const)(
    'takes %s as its one output at once, and never runs',
    async (_, answer, stored, ok) => {
      let ran = 0
      const tools = [risky(true, () => ++ran)]
      const session = await agentOf([calls('risky'), 'done'], { tools }).newSession()
      await session.run('Hi')
      await session.answer('risky', answer)
      expect((await session.memory.getItems()).at(-1)).toEqual(functionCallOutput('risky', stored))
      const [result] = eventsOf(session, 'TOOL_RESULT')
      const error = ok ? {} : { error: 'rejected' }
      expect(result?.payload).toEqual({
        callId: 'risky',
        name: 'risky',
        output: stored,
        ok,
        ...error,
      })
      await rejection(session.answer('risky', { approve: true }), 'CONFLICT')
      expect((await session.run('and')).text).toBe('done')
      expect(ran).toBe(0)
      await expectFold(session)
    },
  )
})

describe('context.ask', () => {
  it('asks one after the other; the tool starts from its top each time', async () => {
    const session = await agentOf([calls('asks'), 'done'], {
      tools: [asking('1?', '2?')],
    }).newSession()
    expect((await session.run('Hi')).interruptions).toEqual([waiting('asks', '1?')])
    await session.answer('asks', { reply: 'one' })
    expect((await session.run(null)).interruptions).toEqual([waiting('asks', '2?')])
    await session.answer('asks', { reply: null })
    expect((await session.run(null)).status).toBe('completed')
    expect(await session.memory.getItems()).toContainEqual(output('asks', '["one",null]'))
    expect(typesOf(session).filter((type) => type === 'TOOL_CALL')).toHaveLength(3)
    await expectFold(session)
  })

  it('of a tool that needs approval comes after it; approve answers true', async () => {
    const tools = [
      tool({
        name: 'asks',
        description: '',
        parameters: ANY_OBJECT,
        needsApproval: true,
        execute: async (_, { ask }) => [await ask('1?'), await ask('2?')],
      }),
    ]
    const session = await agentOf([calls('asks'), 'done'], { tools }).newSession()
    expect((await session.run('Hi')).interruptions).toEqual([waiting('asks')])
    await session.answer('asks', { approve: true })
    expect((await session.run(null)).interruptions).toEqual([waiting('asks', '1?')])
    await session.answer('asks', { approve: true })
    expect((await session.run(null)).interruptions).toEqual([waiting('asks', '2?')])
    await session.answer('asks', { reply: { deep: [1] } })
    await session.run(null)
    expect(await session.memory.getItems()).toContainEqual(output('asks', '[true,{"deep":[1]}]'))
  })

  it('rejects, so that finally blocks run; what the tool answers then is dropped', async () => {
    const log: string[] = []
    const tools = [
      simpleTool('asks', async (_, { ask }) => {
        try {
          return await ask('?')
        } catch (error) {
          log.push((error as { code: string }).code)
          return 'went on regardless'
        } finally {
          log.push('cleaned up')
        }
      }),
    ]
    const session = await agentOf([calls('asks'), 'done'], { tools }).newSession()
    expect((await session.run('Hi')).status).toBe('interrupted')
    await settle()
    expect(log).toEqual(['PENDING_CALLS', 'cleaned up'])
    expect(typesOf(session)).not.toContain('TOOL_RESULT')
    await session.answer('asks', { reply: 'ok' })
    await session.run(null)
    expect(await session.memory.getItems()).toContainEqual(output('asks', 'ok'))
  })

  it('that nobody awaits interrupts all the same, and ends no process', async () => {
    const tools = [simpleTool('asks', (_, { ask }) => void ask(new Map([['a', 1n]])))]
    const session = await agentOf([calls('asks'), 'done'], { tools }).newSession()
    const result = await session.run('Hi')
    expect(result.interruptions).toEqual([waiting('asks', [['a', '1']])])
    await settle()
  })

  it('answers copies', async () => {
    const tools = [
      simpleTool('asks', async (_, { ask }) => {
        const first = (await ask('1?')) as unknown as unknown[]
        first.push('mine')
        return [first, await ask('2?')]
      }),
    ]
    const session = await agentOf([calls('asks'), 'done'], { tools }).newSession()
    await session.run('Hi')
    const reply = ['r']
    await session.answer('asks', { reply })
    reply.push('later')
    await session.run(null)
    await session.answer('asks', { reply: 2 })
    await session.run(null)
    expect(await session.memory.getItems()).toContainEqual(output('asks', '[["r","mine"],2]'))
  })
})

describe('an interrupted run', () => {
  it('lets siblings finish, and keeps theirs', async () => {
    const gate = deferred<string>()
    const tools = [asking('?'), simpleTool('slow', () => gate.promise), risky(true)]
    const modelClient = scriptedModel([calls('asks', 'slow', 'risky'), 'done'])
    const session = await agentOf([], { modelClient, tools }).newSession()
    const run = session.run('Hi')
    await settle()
    gate.resolve('finished')
    const { interruptions } = await run
    expect(interruptions).toEqual([waiting('asks', '?'), waiting('risky')])
    expect(await session.memory.getItems()).toContainEqual(output('slow', 'finished'))
    expect(modelClient.prompts).toHaveLength(1)
    await session.answer('risky', { approve: true })
    const again = await session.run(null)
    expect(again).toMatchObject({ status: 'interrupted', steps: 0 })
    expect(again.interruptions).toEqual([waiting('asks', '?')])
    expect(await session.memory.getItems()).toContainEqual(output('risky', 'ran'))
    expect(modelClient.prompts).toHaveLength(1)
    await session.answer('asks', { reply: 1 })
    expect((await session.run(null)).text).toBe('done')
    expectPaired(modelClient.prompts[1]?.items ?? [])
    await expectFold(session)
  })

  it('refuses new input, unless it brings every output or closes what waits', async () => {
    const open = async () => {
      const tools = [asking('?'), risky(true)]
      const session = await agentOf([calls('asks', 'risky'), 'done'], { tools }).newSession()
      await session.run('Hi')
      return session
    }
    const one = await open()
    const before = await one.memory.getItems()
    const outputs = ['asks', 'risky'].map((id) => functionCallOutput(id, 'mine'))
    await rejection(one.run('more'), 'PENDING_CALLS')
    await rejection(one.run(outputs.slice(1)), 'PENDING_CALLS')
    await rejection(one.run([...outputs, ...outputs]), 'CONFLICT')
    expect(await one.memory.getItems()).toEqual(before)
    expect((await one.run(outputs)).text).toBe('done')
    await rejection(one.run(outputs), 'CONFLICT')
    expectPaired(await one.memory.getItems())
    const two = await open()
    await two.answer('risky', { approve: true })
    await rejection(two.run('more'), 'PENDING_CALLS')
    expect((await two.run('more', { onPending: 'close' })).text).toBe('done')
    expectPaired(await two.memory.getItems())
    expect(eventsOf(two, 'TOOL_RESULT').map(({ payload }) => payload['error'])).toEqual([
      'abandoned',
      'abandoned',
    ])
    const three = await open()
    await three.answer('risky', { approve: true })
    expect((await three.run(null, { onPending: 'close' })).text).toBe('done')
    expect(await three.memory.getItems()).toContainEqual(output('risky', 'ran'))
    expectPaired(await three.memory.getItems())
    for (const session of [one, two, three]) await expectFold(session)
  })

  it('that is aborted leaves nobody waiting', async () => {
    const abort = new AbortController()
    const tools = [
      asking('?'),
      simpleTool('slow', async () => {
        await settle()
        abort.abort()
      }),
    ]
    const session = await agentOf([calls('asks', 'slow'), 'done'], { tools }).newSession()
    await rejection(session.run('Hi', { signal: abort.signal }), 'ABORTED')
    expect(await session.pending()).toEqual([])
    expectPaired(await session.memory.getItems())
    expect((await session.run('on')).text).toBe('done')
  })
})
