import { createAgent, scriptedModel, tool } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  ANY_OBJECT,
  call,
  deferred,
  expectPaired,
  output,
  rejection,
  settle,
  simpleTool,
} from '../runtime/support.ts'
import { agentOf, calls, durable, expectFold, WatchedStore } from './session-support.ts'

/** Sessions of several processes over one storage; `shared`: the memory is stored, too. */
function processes(shared: boolean, execute: () => unknown = () => 'ran') {
  const { open } = durable()
  const started: string[] = []
  const risky = tool({
    name: 'risky',
    description: '',
    parameters: ANY_OBJECT,
    needsApproval: true,
    execute: () => {
      started.push('risky')
      return execute()
    },
  })
  const session = async (turns: Parameters<typeof agentOf>[0] = ['done']) => {
    const { memorySupplier, sessionStore } = open().stores
    const stores = shared ? { memorySupplier, sessionStore } : { sessionStore }
    return agentOf(turns, { ...stores, tools: [risky] }).session('s')
  }
  const begin = async () => {
    const first = await session([calls('risky')])
    expect((await first.run('Hi')).status).toBe('interrupted')
  }
  return { session, begin, started, open }
}

describe.each([
  ['a stored memory', true],
  ['a memory in the process', false],
])('two processes, over %s:', (_, shared) => {
  it('a call is answered, and run, in another process than the one that made it', async () => {
    const { session, begin, started } = processes(shared)
    await begin()
    const other = await session()
    expect(await other.pending()).toMatchObject([{ callId: 'risky', state: 'waiting' }])
    await other.answer('risky', { approve: true })
    const third = await session()
    expect(await third.pending()).toEqual([])
    expect((await third.run(null)).text).toBe('done')
    expect(started).toEqual(['risky'])
    expectPaired((await expectFold(third)).items)
  })

  it('of two that approve at once, one wins; the call runs once', async () => {
    const { session, begin, started } = processes(shared)
    await begin()
    const both = await Promise.all([session(), session()])
    const answers = await Promise.allSettled(both.map((s) => s.answer('risky', { approve: true })))
    const codes = answers.map((a) => (a.status === 'rejected' ? a.reason.code : 'won'))
    expect(codes.sort()).toEqual(['CONFLICT', 'won'])
    const runs = await Promise.allSettled(both.map((s) => s.run(null)))
    expect(runs.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(started).toEqual(['risky'])
    await Promise.allSettled(both.map((s) => s.flush()))
    expectPaired(await (await session()).memory.getItems())
  })

  it.each([
    ['output', { output: 'by hand' }],
    ['reject', { reject: 'no' }],
  ])(
    'a late %s beside a call that runs already is CONFLICT, and stores nothing',
    async (_, answer) => {
      const gate = deferred<string>()
      const { session, begin, started } = processes(shared, () => gate.promise)
      await begin()
      const stale = await session()
      const winner = await session()
      await winner.answer('risky', { approve: true })
      const run = winner.run(null)
      await settle()
      await settle()
      expect(started).toEqual(['risky'])
      await rejection(stale.answer('risky', answer as never), 'CONFLICT')
      gate.resolve('ran')
      expect((await run).text).toBe('done')
      await winner.flush()
      const { items } = await expectFold(await session())
      expectPaired(items)
      expect(items).toContainEqual(output('risky', 'ran'))
    },
  )

  it('two outputs at once: one is stored', async () => {
    const { session, begin } = processes(shared)
    await begin()
    const both = await Promise.all([session(), session()])
    const answers = await Promise.allSettled(
      both.map((s, n) => s.answer('risky', { output: `${n}` })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const items = await (await session()).memory.getItems()
    expectPaired(items)
    const won = answers.findIndex(({ status }) => status === 'fulfilled')
    expect(items.at(-1)).toEqual(output('risky', `${won}`))
  })
})

describe('a call of an id that was approved, and then taken back', () => {
  it('does not run unasked, though nobody recorded how it came to be', async () => {
    const { session, begin, started, open } = processes(true)
    await begin()
    const first = await session()
    await first.answer('risky', { approve: true })
    await first.undo()
    await first.flush()
    // A process that was killed before it saved.
    await open()
      .storage.memory('s')
      .addOutputItems([call('risky', 'risky')])
    const next = await session()
    expect(await next.pending()).toMatchObject([{ callId: 'risky', state: 'unknown' }])
    expect((await next.run(null)).status).toBe('interrupted')
    expect(started).toEqual([])
  })
})

describe('without a session store', () => {
  it('two answers to one stored memory at once: one is stored', async () => {
    const { open } = durable()
    await open()
      .storage.memory('s')
      .addOutputItems([call('risky', 'c')])
    const both = await Promise.all(
      [1, 2].map(() => agentOf([], { memorySupplier: open().stores.memorySupplier }).session('s')),
    )
    const answers = await Promise.allSettled(both.map((s) => s.answer('c', { output: 'mine' })))
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expectPaired(await open().storage.memory('s').getItems())
  })
})

describe('whatever the mode,', () => {
  it('an interruption, an answer and a start are saved before anybody goes on', async () => {
    for (const autosave of ['run', 'step', 'sync'] as const) {
      const store = new WatchedStore()
      const last = () => store.saved.at(-1)?.events.at(-1)?.type
      let atStart: unknown
      const asks = simpleTool('asks', async (_, { ask }) => {
        const reply = await ask('?')
        atStart = last()
        return reply
      })
      const options = { tools: [asks], sessionStore: store, autosave }
      const session = await agentOf([calls('asks'), 'done'], options).newSession()
      await session.run('Hi')
      const seen = store.saved.at(-1)?.events.map(({ type }) => type)
      expect(seen).toContain('INTERRUPTED')
      await session.answer('asks', { reply: 1 })
      expect(last()).toBe('ANSWERED')
      await session.run(null)
      expect(atStart).toBe('TOOL_CALL')
    }
  })

  it('except off: then nothing is', async () => {
    const store = new WatchedStore()
    const asks = simpleTool('asks', (_, { ask }) => ask('?'))
    const options = { tools: [asks], sessionStore: store, autosave: 'off' as const }
    const session = await agentOf([calls('asks'), 'done'], options).newSession()
    await session.run('Hi')
    await session.answer('asks', { reply: 1 })
    await session.run(null)
    expect(store.saved).toEqual([])
  })

  it('a start that cannot be saved is none', async () => {
    const store = new WatchedStore()
    let ran = 0
    const modelClient = scriptedModel([calls('asks'), 'done'])
    const asks = simpleTool('asks', async (_, { ask }) => {
      await ask('?')
      return ++ran
    })
    const agent = createAgent({ modelClient, model: 'm', tools: [asks], sessionStore: store })
    const session = await agent.newSession()
    await session.run('Hi')
    await session.answer('asks', { reply: 1 })
    store.before = () => {
      throw new Error('down')
    }
    await expect(session.run(null)).rejects.toThrow('down')
    expect([ran, modelClient.prompts.length]).toEqual([0, 1])
    // Whether it ran is for somebody to say: it was about to.
    expect(await session.pending()).toMatchObject([{ callId: 'asks', state: 'unknown' }])
    await session.flush().catch(() => {})
    store.before = () => {}
    await session.answer('asks', { rerun: true })
    expect((await session.run(null)).text).toBe('done')
    expect(ran).toBe(1)
    await expectFold(session)
  })
})
