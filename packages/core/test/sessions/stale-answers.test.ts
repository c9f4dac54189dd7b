import {
  createAgent,
  HoldfastError,
  InMemoryAgentMemory,
  scriptedModel,
  tool,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { ANY_OBJECT, rejection, simpleTool } from '../runtime/support.ts'
import { agentOf, calls, durable, eventsOf, WatchedStore } from './session-support.ts'

/** A tool that needs an approval for more than 10, and says what it was run with. */
function payments() {
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: '',
    parameters: ANY_OBJECT,
    needsApproval: (args) => Number(args['n']) > 10,
    execute: (args) => {
      paid.push(args['n'])
      return 'paid'
    },
  })
  const asks = (n: number) => ({ calls: [{ name: 'pay', callId: 'c', arguments: { n } }] })
  return { paid, pay, asks }
}

describe('an answer', () => {
  it('to a call whose end no save saw lets no later call of its id run', async () => {
    const { paid, pay, asks } = payments()
    const { open } = durable()
    const first = open().stores
    const store = new WatchedStore(first.sessionStore)
    const options = { ...first, sessionStore: store, tools: [pay] }
    const killed = await agentOf([asks(99), asks(1), 'end'], options).session('s')
    await killed.run('pay 99')
    await killed.answer('c', { approve: true })
    await killed.flush()
    // From here on nothing is saved, as before a kill; what memory is told stays.
    store.before = () => new Promise(() => {})
    await killed.undo()
    const memory = first.memorySupplier('s')
    await memory.addUserInput('pay 1')
    await memory.addOutputItems([
      { type: 'function_call', call_id: 'c', name: 'pay', arguments: '{"n":1}' },
    ])
    const resumed = await agentOf(['end'], { ...open().stores, tools: [pay] }).session('s')
    expect(await resumed.pending()).toMatchObject([{ callId: 'c', state: 'unknown' }])
    expect((await resumed.run(null)).status).toBe('interrupted')
    expect(paid).toEqual([])
  })

  it('counts for no other call that a restore puts in its place', async () => {
    const { paid, pay, asks } = payments()
    const session = await agentOf([asks(99), 'end'], { tools: [pay] }).session('s')
    await session.run('pay 99')
    await session.answer('c', { approve: true })
    const { items } = await session.memory.snapshot()
    const other = { ...items[1], arguments: '{"n":1000}' }
    await session.restore({ items: [...items.slice(0, 1), other] })
    expect((await session.run(null)).status).toBe('interrupted')
    expect(paid).toEqual([])
  })

  it('counts for the session that it was given in, not for its fork', async () => {
    const { paid, pay, asks } = payments()
    const session = await agentOf([asks(99), 'end'], { tools: [pay] }).session('s')
    await session.run('pay 99')
    await session.answer('c', { approve: true })
    const fork = await session.fork('f')
    await session.run(null)
    expect((await fork.run(null)).status).toBe('interrupted')
    expect(paid).toEqual([99])
  })

  it('that could not be saved is taken back, and another may be given', async () => {
    const { paid, pay, asks } = payments()
    const store = new WatchedStore()
    const session = await agentOf([asks(99), 'end'], {
      sessionStore: store,
      tools: [pay],
    }).session('s')
    await session.run('pay 99')
    store.before = () => {
      throw new Error('down')
    }
    await expect(session.answer('c', { approve: true })).rejects.toThrow('down')
    expect((await session.pending())[0]).toMatchObject({ state: 'waiting' })
    store.before = () => {}
    await session.answer('c', { reject: 'no' })
    await session.run(null)
    expect(paid).toEqual([])
  })

  it('is no reply where nothing was asked', async () => {
    const { pay, asks } = payments()
    const session = await agentOf([asks(99)], { tools: [pay] }).session('s')
    await session.run('pay 99')
    await rejection(session.answer('c', { reply: 'no, never' }), 'INVALID_ARGUMENT')
  })

  it('is stored in a memory that has the six methods alone', async () => {
    const inner = new InMemoryAgentMemory()
    const memory = {
      addUserInput: inner.addUserInput.bind(inner),
      addOutputItems: inner.addOutputItems.bind(inner),
      addToolOutput: inner.addToolOutput.bind(inner),
      getItems: inner.getItems.bind(inner),
      getSummary: inner.getSummary.bind(inner),
      clear: inner.clear.bind(inner),
    }
    const { pay, asks } = payments()
    const session = await agentOf([asks(99), 'end'], {
      tools: [pay],
      memorySupplier: () => memory,
    }).session('s')
    await session.run('pay 99')
    await session.answer('c', { reject: 'no' })
    expect(await session.run(null)).toMatchObject({ text: 'end' })
  })

  it('sees, and runs, what a hook made of the call', async () => {
    const { paid, pay, asks } = payments()
    const session = await createAgent({
      model: 'm',
      modelClient: scriptedModel([asks(99), 'end']),
      tools: [pay],
      hooks: {
        afterModel: ({ result }) => ({
          result: {
            ...result,
            toolCalls: result.toolCalls.map((call) => ({ ...call, arguments: '{"n":50}' })),
          },
        }),
      },
    }).session('s')
    const { interruptions } = await session.run('pay 99')
    expect(interruptions[0]?.arguments).toBe('{"n":50}')
    await session.answer('c', { approve: true })
    await session.run(null)
    expect(paid).toEqual([50])
  })
})

describe('a call that waits', () => {
  it('and that the compressor drops ends the run', async () => {
    const { pay } = payments()
    const compressor = { compress: () => ({ items: [] }) }
    const session = await agentOf(
      [{ calls: [{ name: 'pay', callId: 'c', arguments: { n: 99 } }] }, 'end'],
      { tools: [pay], memorySupplier: () => new InMemoryAgentMemory({ compressor }) },
    ).session('s')
    await rejection(session.run('pay 99'), 'PENDING_CALLS')
  })

  it('is what pending tells of while a run goes on', async () => {
    let pending: unknown
    const session = await agentOf([calls('t'), 'end'], {
      tools: [
        simpleTool('t', async () => {
          pending = await session.pending()
          return 'x'
        }),
      ],
    }).session('s')
    await session.run('Hi')
    expect(pending).toEqual([])
  })
})

describe('a save', () => {
  it('that hangs lets an interrupted run be aborted', async () => {
    const { pay, asks } = payments()
    const store = new WatchedStore()
    store.before = () => new Promise(() => {})
    const options = { sessionStore: store, autosave: 'run', tools: [pay] } as const
    const session = await agentOf([asks(99)], options).session('s')
    await rejection(session.run('pay 99', { timeoutMs: 30 }), 'LIMIT_EXCEEDED')
  })

  it('is possible whatever depth a model answers in', async () => {
    const store = new WatchedStore()
    const deep = `${'{"a":'.repeat(1_100)}1${'}'.repeat(1_100)}`
    const options = { sessionStore: store, output: { type: 'object' } }
    const session = await agentOf([deep], options).session('s')
    await session.run('Hi')
    await session.save()
    expect(eventsOf(session, 'FINAL_OUTPUT')).toHaveLength(1)
  })

  it('that fails leaves its outcome out of the change that memory has', async () => {
    const store = new WatchedStore()
    const options = { sessionStore: store, autosave: 'sync' } as const
    const session = await agentOf(['a', 'b'], options).session('s')
    await session.run('1')
    await session.run('2')
    store.before = () => {
      throw new HoldfastError('STORAGE_FAILED', 'down', { outcome: 'not-committed' })
    }
    const error = await rejection(session.undo(), 'STORAGE_FAILED')
    expect(error.outcome).toBeUndefined()
    expect((await session.memory.getItems()).length).toBe(2)
  })

  it('that lost to another writer is remembered: no input comes in twice', async () => {
    const { open } = durable()
    const one = await agentOf(['a', 'b'], { ...open().stores, autosave: 'sync' }).session('s')
    const two = await agentOf(['a'], { ...open().stores, autosave: 'sync' }).session('s')
    await one.run('1')
    const first = await rejection(two.run('2'), 'CONFLICT')
    expect(first.outcome).toBeUndefined()
    const before = (await one.memory.getItems()).length
    const error = await rejection(two.run('2'), 'CONFLICT')
    expect(error).toMatchObject({ outcome: 'not-committed' })
    expect((await one.memory.getItems()).length).toBe(before)
  })

  it('never holds a memory older than its events', async () => {
    class Slow extends InMemoryAgentMemory {
      override async snapshot() {
        const snapshot = await super.snapshot()
        await new Promise((resolve) => setTimeout(resolve, 5))
        return snapshot
      }
    }
    const store = new WatchedStore()
    const names = ['a', 'b', 'c', 'd']
    const session = await agentOf([calls(...names), 'end'], {
      sessionStore: store,
      autosave: 'sync',
      memorySupplier: () => new Slow(),
      tools: names.map((name, at) =>
        simpleTool(name, async () => {
          await new Promise((resolve) => setTimeout(resolve, 3 * at))
          return name
        }),
      ),
    }).session('s')
    await session.run('Hi')
    for (const { memory, events } of store.saved) {
      const results = events.filter(({ type }) => type === 'TOOL_RESULT').length
      const outputs = memory.items.filter(({ type }) => type === 'function_call_output').length
      expect(outputs).toBeGreaterThanOrEqual(results)
    }
  })
})

describe('sessions', () => {
  it('of sub-agents take parallel calls of one id one after the other', async () => {
    const store = new WatchedStore()
    const sub = agentOf(['1', '2'], { sessionStore: store })
    const ask = sub.asTool({ name: 'ask', description: '', sessionId: () => 'shared' })
    const agent = agentOf(
      [{ calls: [1, 2].map((n) => ({ name: 'ask', arguments: { input: `${n}` } })) }, 'end'],
      { tools: [ask] },
    )
    await agent.run('Hi')
    expect((await store.load('shared'))?.memory.items).toHaveLength(4)
  })

  it('are not forked onto themselves', async () => {
    const session = await agentOf([], { sessionStore: new WatchedStore() }).session('s')
    await rejection(session.fork('s'), 'CONFLICT')
  })
})
