import {
  type AgentHooks,
  type AgentItem,
  createAgent,
  InMemoryAgentMemory,
  scriptedModel,
  tool,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { agentOf, calls, eventsOf, expectFold, onlyPayload } from '../sessions/session-support.ts'
import {
  assistant,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
  thrown,
} from './support.ts'

const NAMES = [
  'beforePrompt',
  'afterPrompt',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
] as const
type Name = (typeof NAMES)[number]

/** A run of two steps with one tool, under these hooks. */
async function run(hooks: AgentHooks | AgentHooks[]) {
  const modelClient = scriptedModel([
    { calls: [{ name: 't', callId: 'c', arguments: { n: 1 } }] },
    'done',
    'again',
  ])
  const seen: unknown[] = []
  const tools = [
    simpleTool('t', (args) => {
      seen.push(args)
      return 'out'
    }),
  ]
  const session = await agentOf([], { modelClient, tools, hooks }).newSession({
    id: `${Math.random()}`,
  })
  const result = await session.run('Hi', { context: 'ctx' }).catch((error: unknown) => error)
  return { session, result, modelClient, args: seen, items: await session.memory.getItems() }
}

const ASKED = ['beforePrompt', 'afterPrompt', 'beforeModel', 'afterModel'] as const

describe('hooks', () => {
  it('look at everything in order, and change nothing by that', async () => {
    const log: [Name, Record<string, unknown>][] = []
    const hooks = Object.fromEntries(
      NAMES.map((name) => [name, (info: Record<string, unknown>) => void log.push([name, info])]),
    ) as AgentHooks
    const { items, session, result } = await run(hooks)
    expect(result).toMatchObject({ text: 'done' })
    expect(items).toEqual((await run([])).items)
    expect(log.map(([name]) => name)).toEqual([...ASKED, 'beforeTool', 'afterTool', ...ASKED])
    for (const [, info] of log)
      expect(info).toMatchObject({ sessionId: session.id, context: 'ctx' })
    expect(log.map(([, { step }]) => step)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    const info = Object.fromEntries(log.slice(0, 6)) as Record<Name, Record<string, unknown>>
    expect(info.beforePrompt).toMatchObject({ items: [userMessage('Hi')] })
    expect(info.afterPrompt).toMatchObject({ prompt: { model: 'm' }, report: { itemsAfter: 1 } })
    expect(info.beforeModel).toMatchObject({ prompt: { items: [userMessage('Hi')] }, attempt: 0 })
    expect(info.afterModel).toMatchObject({ result: { toolCalls: [{ name: 't' }] } })
    expect(info.beforeTool).toMatchObject({
      call: { callId: 'c', name: 't' },
      arguments: '{"n":1}',
    })
    expect(info.afterTool).toMatchObject({ call: { callId: 'c' }, output: 'out' })
  })

  it('change what goes on; memory keeps what it has', async () => {
    const extra = userMessage('extra')
    const prompts = async (hooks: AgentHooks) => (await run(hooks)).modelClient.prompts
    const before = await prompts({ beforePrompt: ({ items }) => ({ items: [extra, ...items] }) })
    expect(before[0]?.items).toEqual([extra, userMessage('Hi')])
    const after = await prompts({
      afterPrompt: ({ prompt }) => ({ prompt: { ...prompt, model: 'n' } }),
    })
    expect(after.map(({ model }) => model)).toEqual(['n', 'n'])
    const sent = await prompts({
      beforeModel: async ({ prompt, attempt }) => ({
        prompt: { ...prompt, instructions: `try ${attempt}` },
      }),
    })
    expect(sent[0]?.instructions).toBe('try 0')
    const answered = await run({
      afterModel: ({ result }) =>
        result.text
          ? { result: { ...result, text: 'mine', memoryItems: [assistant('mine')] } }
          : {},
    })
    expect(answered.result).toMatchObject({ text: 'mine' })
    expect(answered.items.at(-1)).toEqual(assistant('mine'))
    const ran = await run({ beforeTool: () => ({ arguments: '{"n":2}' }) })
    expect(ran.args).toEqual([{ n: 2 }])
    expect(ran.items[1]).toMatchObject({ arguments: '{"n":1}' })
    expect(onlyPayload(ran.session, 'TOOL_CALL')).toMatchObject({ arguments: '{"n":1}' })
    const replaced = await run({ afterTool: ({ output: text }) => ({ output: `${text}!` }) })
    expect(replaced.items[2]).toEqual(output('c', 'out!'))
    const parts: AgentItem[] = [{ type: 'input_text', text: 'x' }]
    expect((await run({ afterTool: () => ({ output: parts }) })).items[2]).toEqual(
      output('c', parts),
    )
    for (const { session } of [answered, ran, replaced]) await expectFold(session)
  })

  it('afterTool sees the output of a tool that failed, too', async () => {
    const session = await createAgent({
      model: 'm',
      modelClient: scriptedModel([{ calls: [{ name: 't', callId: 'c' }] }, 'done']),
      tools: [
        tool({
          name: 't',
          description: '',
          parameters: { type: 'object' },
          execute: () => {
            throw new Error('secret')
          },
        }),
      ],
      hooks: {
        afterTool: ({ output: text }) => ({ output: String(text).replace('secret', '***') }),
      },
    }).session('s')
    await session.run('Hi')
    expect((await session.memory.getItems())[2]).toEqual(output('c', 'Error: ***'))
    expect(onlyPayload(session, 'TOOL_RESULT')).toMatchObject({ ok: false })
  })

  it('come one after the other, each with what the one before made of it', async () => {
    const add = (letter: string): AgentHooks => ({
      beforeTool: ({ arguments: args }) => ({ arguments: args.replace('}', `,"${letter}":1}`) }),
    })
    expect((await run([add('a'), {}, add('b')])).args).toEqual([{ n: 1, a: 1, b: 1 }])
  })

  it.each(ASKED)('%s blocks the run with ABORTED, and says why', async (name) => {
    const { result, items, modelClient } = await run({ [name]: () => ({ block: 'too long' }) })
    expect(result).toMatchObject({ code: 'ABORTED', message: `Blocked by ${name}: too long` })
    expect(items).toEqual([userMessage('Hi')])
    expect(modelClient.prompts).toHaveLength(name === 'afterModel' ? 1 : 0)
  })

  it.each(['beforeTool', 'afterTool'] as const)(
    '%s blocks the call; the model sees why',
    async (name) => {
      const { result, items, args } = await run({ [name]: () => ({ block: 'not this' }) })
      expect(result).toMatchObject({ text: 'done' })
      expect(items[2]).toEqual(output('c', `Error: Blocked by ${name}: not this`))
      expect(args).toHaveLength(name === 'afterTool' ? 1 : 0)
    },
  )

  it.each(ASKED)('what %s throws ends the run as it is; nothing is asked again', async (name) => {
    for (const how of ['throw', 'reject']) {
      const cause = Object.assign(new Error('mine'), { code: 'ECONNRESET', retryable: true })
      const hook = () => {
        if (how === 'throw') throw cause
        return Promise.reject(cause)
      }
      const { result, items, session } = await run({ [name]: hook })
      expect(result).toBe(cause)
      expect(items).toEqual([userMessage('Hi')])
      expect(eventsOf(session, 'MODEL_RETRY')).toEqual([])
      await expectFold(session)
    }
  })

  it.each(['beforeTool', 'afterTool'] as const)(
    'what %s throws is the output of the call',
    async (name) => {
      const { items, session } = await run({
        [name]: () => {
          throw new Error('mine')
        },
      })
      expect(items[2]).toEqual(output('c', 'Error: mine'))
      expect(onlyPayload(session, 'TOOL_RESULT')).toMatchObject({ ok: false, error: 'mine' })
    },
  )

  it.each(NAMES)('%s that answers garbage is refused', async (name) => {
    for (const garbage of [null, 5, 'x', []]) {
      const { result, items } = await run({ [name]: () => garbage } as AgentHooks)
      if (name.endsWith('Tool'))
        expect(String(items[2]?.['output'])).toContain('must answer an object')
      else expect(result).toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it.each<[Name, object, string]>([
    ['beforePrompt', { items: 'x' }, 'items'],
    ['beforePrompt', { items: [5] }, 'items'],
    ['beforePrompt', { items: undefined }, 'items'],
    ['beforePrompt', { itmes: [] }, 'itmes'],
    ['beforePrompt', { step: 5 }, 'step'],
    ['afterPrompt', { prompt: {} }, 'prompt'],
    ['afterPrompt', { prompt: { model: 'm', items: [] } }, 'prompt'],
    ['afterPrompt', { report: {} }, 'report'],
    ['beforeModel', { prompt: undefined }, 'prompt'],
    ['beforeModel', { prompt: { model: 'm', items: {}, tools: [] } }, 'prompt'],
    ['afterModel', { result: undefined }, 'result'],
    ['afterModel', { result: { text: 'x' } }, 'result'],
    ['beforeTool', { arguments: { a: 1 } }, 'arguments'],
    ['beforeTool', { args: '{}' }, 'args'],
    ['beforeTool', { call: {} }, 'call'],
    ['afterTool', { output: 5 }, 'output'],
    ['afterTool', { output: [5] }, 'output'],
    ['afterTool', { outptu: 'x' }, 'outptu'],
  ])('%s that answers %o is refused, by its name and the key', async (name, answered, key) => {
    const { result, items } = await run({ [name]: () => answered } as AgentHooks)
    const said = name.endsWith('Tool') ? items[2]?.['output'] : (result as Error).message
    if (!name.endsWith('Tool')) expect(result).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(said).toContain(name)
    expect(said).toContain(key)
  })

  it('that answer a wrong result or output store nothing of it', async () => {
    for (const result of [5, { text: 'x' }, { memoryItems: [], toolCalls: [], text: 5 }]) {
      const { items, result: error } = await run({ afterModel: () => ({ result }) as never })
      expect(error).toBeInstanceOf(Error)
      expect(items).toEqual([userMessage('Hi')])
    }
    const { items } = await run({ afterTool: () => ({ output: [5] }) as never })
    expect(items[2]?.['output']).toMatch(/^Error: /)
  })

  it('that take the list apart free no id', async () => {
    const memory = new InMemoryAgentMemory()
    const turn = calls('t')
    const agent = createAgent({
      modelClient: scriptedModel([turn, 'one', turn, 'two']),
      model: 'm',
      tools: [simpleTool('t', () => 'x')],
      hooks: { beforePrompt: ({ items }) => void items.splice(0) },
    })
    await agent.run('1', { memory })
    await agent.run('2', { memory })
    expectPaired(await memory.getItems())
  })

  it('that throw right after they aborted the run end no process', async () => {
    for (const name of NAMES) {
      const abort = new AbortController()
      const hooks = {
        [name]: () => {
          abort.abort()
          throw new Error('late')
        },
      }
      const agent = agentOf([calls('t'), 'x'], { hooks, tools: [simpleTool('t', () => 1)] })
      const memory = new InMemoryAgentMemory()
      await expect(agent.run('Hi', { memory, signal: abort.signal })).rejects.toThrow(
        /late|aborted/,
      )
      expectPaired(await memory.getItems())
    }
    await settle()
  })

  it('that hang give way to an abort', async () => {
    for (const name of NAMES) {
      const abort = new AbortController()
      const gate = deferred<undefined>()
      const hooks = { [name]: () => gate.promise } as AgentHooks
      const agent = agentOf([calls('t'), 'x'], { hooks, tools: [simpleTool('t', () => 1)] })
      const memory = new InMemoryAgentMemory()
      const run = agent.run('Hi', { memory, signal: abort.signal })
      await settle()
      abort.abort()
      await rejection(run, 'ABORTED')
      expectPaired(await memory.getItems())
    }
  })

  it('are checked when the agent is made', () => {
    for (const hooks of [5, 'x', null, [null], { beforModel: () => {} }, { beforeModel: 5 }]) {
      thrown(() => agentOf([], { hooks: hooks as never }), 'INVALID_ARGUMENT')
    }
  })
})
