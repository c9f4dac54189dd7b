import {
  InMemoryAgentSessionStore,
  type MemorySnapshot,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { assistant, call, never, output, settle, simpleTool } from '../runtime/support.ts'
import {
  agentOf,
  calls,
  countingPolicy,
  durable,
  eventsOf,
  expectFold,
  texts,
} from './session-support.ts'

describe('resume', () => {
  it('installs the record in a memory that lives in the process', async () => {
    const sessionStore = new InMemoryAgentSessionStore()
    const open = (turns: string[]) => agentOf(turns, { sessionStore })
    const session = await open(['a']).newSession({ id: 's' })
    await session.run('1')
    await session.save()
    const again = await open(['b']).resumeSession('s')
    expect(await again.memory.snapshot()).toEqual(await session.memory.snapshot())
    const restored = eventsOf(again, 'SESSION_RESTORED').map(({ payload }) => payload)
    expect(restored).toEqual([{ reason: 'resume', unchanged: true }])
    await again.run('2')
    await expectFold(again)
  })

  it('lets a memory that outlives the process win over an older record; the log is put right', async () => {
    const { open } = durable()
    const session = await agentOf(['a', 'b'], { ...open().stores, autosave: 'off' }).session('s')
    await session.run('1')
    await session.save()
    await session.run('2')
    const again = await agentOf(['c'], open().stores).session('s')
    expect(texts(await again.memory.getItems())).toEqual(['1', 'a', '2', 'b'])
    const { items } = await session.memory.snapshot()
    const restored = eventsOf(again, 'SESSION_RESTORED').map(({ payload }) => payload)
    expect(restored).toEqual([{ reason: 'resume', items }])
    await expectFold(again)
  })

  it('does not bring back what was cleared or deleted since', async () => {
    for (const how of ['clear', 'delete'] as const) {
      const { open } = durable()
      const session = await agentOf(['a'], open().stores).session('s')
      await session.run('1')
      await session.flush()
      await open().storage.memory('s')[how]()
      const again = await agentOf([], open().stores).resumeSession('s')
      expect(await expectFold(again)).toEqual({ items: [] })
    }
  })

  it('installs the record where the durable memory never held anything', async () => {
    const { open } = durable()
    const { sessionStore } = open().stores
    const session = await agentOf(['a'], { sessionStore }).newSession({ id: 's' })
    await session.run('1')
    await session.flush()
    const again = await agentOf([], open().stores).resumeSession('s')
    expect(await again.memory.getItems()).toHaveLength(2)
    expect(await open().storage.memory('s').getItems()).toHaveLength(2)
    await expectFold(again)
  })

  it('begins a log for a memory that has no record', async () => {
    const { open } = durable()
    await open().storage.memory('s').addUserInput('before')
    const session = await agentOf(['a'], open().stores).session('s')
    await expectFold(session)
    await session.run('1')
    expect(texts((await expectFold(session)).items)).toEqual(['before', '1', 'a'])
  })

  it('goes on counting, resume after resume, at one small event each', async () => {
    const { open } = durable()
    for (let turn = 0; turn < 20; turn++) {
      const session = await agentOf([`${turn}`], open().stores).session('s')
      await session.run(`${turn}`)
      await session.flush()
      await expectFold(session)
    }
    const session = await agentOf([], open().stores).session('s')
    const restored = eventsOf(session, 'SESSION_RESTORED').map(({ payload }) => payload)
    expect(restored).toHaveLength(20)
    expect(new Set(restored.map((payload) => JSON.stringify(payload))).size).toBe(1)
  })

  it('writes as many bytes in a late turn as in an early one, with a process for each', async () => {
    const { open, driver } = durable()
    let written = 0
    for (const name of ['replace', 'append'] as const) {
      const write = driver[name].bind(driver) as (...args: unknown[]) => Promise<never>
      driver[name] = (...args: unknown[]) => {
        written += JSON.stringify(args).length
        return write(...args)
      }
    }
    const costs: number[] = []
    for (let turn = 0; turn < 120; turn++) {
      const before = written
      const session = await agentOf(['an answer'], open().stores).session('s')
      await session.run(`turn ${turn}`.padEnd(9))
      await session.flush()
      costs.push(written - before)
    }
    const mean = (from: number) => costs.slice(from, from + 20).reduce((a, b) => a + b) / 20
    // Before, the list of writers in the head fills up to its 64.
    expect(mean(100)).toBeLessThan(1.02 * mean(70))
  })

  it('shows the model the next time what it would have shown it then', async () => {
    const { open } = durable()
    const tools = [simpleTool('t', () => 'x')]
    const start = async () => {
      const { stores } = open()
      const session = await agentOf([calls('t'), 'a'], { ...stores, tools }).newSession({ id: 's' })
      await session.run('1')
      await session.compact(countingPolicy())
      await session.replaceToolOutput('t', 'y').catch(() => {})
      await session.flush()
      return session
    }
    const session = await start()
    const promptOf = async (open: ReturnType<typeof durable>['open']) => {
      const modelClient = scriptedModel(['b'])
      const agent = agentOf([], { modelClient, ...open().stores, tools, budget: { maxItems: 4 } })
      const copy = await (await agent.session('s')).fork(`copy ${Math.random()}`)
      await copy.run('2')
      return modelClient.prompts[0]
    }
    expect(await promptOf(open)).toEqual(await promptOf(open))
    expect((await session.snapshot()).compact?.summary).toBe('[4]')
    const again = await agentOf([], open().stores).session('s')
    expect((await again.snapshot()).compact).toEqual((await session.snapshot()).compact)
  })

  it('restores what the store tells, not what its events look like', async () => {
    const sessionStore = new InMemoryAgentSessionStore()
    const memory: MemorySnapshot = { items: [userMessage('patched')], summary: 's' }
    const metadata = { createdAt: 1, updatedAt: 1, attributes: {} }
    await sessionStore.save({ id: 's', metadata, memory, events: [] })
    const session = await agentOf([], { sessionStore }).resumeSession('s')
    expect(await expectFold(session)).toEqual(memory)
    expect(session.metadata.createdAt).toBe(1)
  })
})

describe('a kill in the middle of a tool', () => {
  /** A process that never comes back from the first of two tools; answers what the next one sees. */
  async function killed(where: 'durable' | 'in memory') {
    const { open } = durable()
    const started: string[] = []
    const tools = (hang: boolean) => [
      simpleTool('slow', () => {
        started.push('slow')
        return hang ? never() : 'ran again'
      }),
      simpleTool('fast', () => {
        started.push('fast')
        return 'fast output'
      }),
    ]
    const options = () => {
      const { stores } = open()
      return where === 'durable'
        ? { ...stores, autosave: 'step' as const }
        : { sessionStore: stores.sessionStore, autosave: 'sync' as const }
    }
    const agent = agentOf([calls('slow', 'fast')], { ...options(), tools: tools(true) })
    const session = await agent.newSession({ id: 's' })
    session.run('1').catch(() => {})
    await settle()
    await settle()
    const modelClient = scriptedModel(['done'])
    const next = agentOf([], { ...options(), modelClient, tools: tools(false) })
    return { session: await next.session('s'), modelClient, started }
  }

  it.each(['durable', 'in memory'] as const)(
    'is reported, and not run again unasked (%s)',
    async (where) => {
      const { session, modelClient, started } = await killed(where)
      expect(started).toEqual(['slow', 'fast'])
      const pending = [{ callId: 'slow', name: 'slow', arguments: '{}', state: 'unknown' }]
      expect(await session.pending()).toEqual(pending)
      const result = await session.run(null)
      expect(result).toMatchObject({ status: 'interrupted', steps: 0, interruptions: pending })
      expect(modelClient.prompts).toEqual([])
      expect(started).toEqual(['slow', 'fast'])
      expect(await session.memory.getItems()).toContainEqual(output('fast', 'fast output'))
      await expectFold(session)
    },
  )

  it.each(['durable', 'in memory'] as const)(
    'runs again when it is told to (%s)',
    async (where) => {
      const { session, modelClient, started } = await killed(where)
      await session.answer('slow', { rerun: true })
      expect((await session.run(null)).text).toBe('done')
      expect(started).toEqual(['slow', 'fast', 'slow'])
      expect(modelClient.prompts[0]?.items).toEqual([
        userMessage('1'),
        call('slow', 'slow'),
        call('fast', 'fast'),
        output('slow', 'ran again'),
        output('fast', 'fast output'),
      ])
      await expectFold(session)
    },
  )

  it('takes an output in its place, or is closed by what comes next', async () => {
    const one = await killed('durable')
    await one.session.answer('slow', { output: 'by hand' })
    await one.session.run(null)
    expect(await one.session.memory.getItems()).toContainEqual(output('slow', 'by hand'))
    const two = await killed('durable')
    await two.session.run('on', { onPending: 'close' })
    const items = await two.session.memory.getItems()
    expect(items.at(-1)).toEqual(assistant('done'))
    expect(items.filter(({ type }) => type === 'function_call_output')).toHaveLength(2)
    await expectFold(two.session)
  })
})
