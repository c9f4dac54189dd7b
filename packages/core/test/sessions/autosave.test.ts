import {
  type AgentOptions,
  type AutosaveMode,
  createAgent,
  HoldfastError,
  InMemoryAgentSessionStore,
  SessionEventProjector,
  scriptedModel,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { deferred, never, rejection, settle, simpleTool } from '../runtime/support.ts'
import { agentOf, calls, eventsOf, expectFold, typesOf, WatchedStore } from './session-support.ts'

/** A run of two steps with two tools, and the order of saves, model calls and tool starts. */
async function traced(autosave: AutosaveMode | undefined, options: Partial<AgentOptions> = {}) {
  const log: string[] = []
  const store = new WatchedStore()
  store.before = async (snapshot) => {
    log.push(`save ${snapshot.events.length}`)
    await settle()
    log.push('saved')
  }
  const note = (name: string) => simpleTool(name, () => void log.push(name))
  const noted = (turn: Parameters<typeof scriptedModel>[0][number]) => () => {
    log.push('model')
    return turn as ReturnType<typeof calls>
  }
  const agent = createAgent({
    modelClient: scriptedModel([noted(calls('t', 'u')), noted('done' as never)]),
    model: 'm',
    tools: [note('t'), note('u')],
    sessionStore: store,
    autosave,
    ...options,
  })
  const session = await agent.newSession({ id: 's' })
  await session.run('Hi')
  log.push('end')
  await session.flush()
  return { log, store, session }
}

const order = (log: readonly string[]) => log.map((entry) => entry.replace(/ \d+$/, '')).join(' ')

describe('autosave', () => {
  it('off: nothing is saved unasked', async () => {
    const { log, store, session } = await traced('off')
    expect(log).toEqual(['model', 't', 'u', 'model', 'end'])
    await session.clear()
    expect(store.saved).toEqual([])
    await session.save()
    expect(store.saved[0]?.events).toEqual(session.eventLog.events)
  })

  it('run: once, in the background, when the run is over', async () => {
    const { log } = await traced('run')
    expect(order(log)).toBe('model t u model end save saved')
  })

  it('step, the default: in the background after each step, and nobody waits', async () => {
    for (const mode of ['step', undefined] as const) {
      const { log, store, session } = await traced(mode)
      expect(order(log)).toBe('model t u save model end saved save saved')
      expect(store.saved.at(-1)?.events).toEqual(session.eventLog.events)
    }
  })

  it('sync: the input before the model, the calls before their tools, outputs before the model', async () => {
    const { log, store, session } = await traced('sync')
    expect(order(log)).toBe(
      'save saved model save saved t u save saved save saved save saved model save saved end',
    )
    const last = store.saved.map(({ events }) => events.at(-1)?.type)
    const outputs = ['TOOL_RESULT', 'TOOL_RESULT']
    expect(last).toEqual(['USER_INPUT', 'TOOL_CALL', ...outputs, 'STEP_END', 'STEP_END'])
    expect(store.saved.at(-1)?.events).toEqual(session.eventLog.events)
  })

  it('saves what the log tells: the memory of every record is the fold of its events', async () => {
    for (const mode of ['run', 'step', 'sync'] as const) {
      for (const { events, memory } of (await traced(mode)).store.saved) {
        expect(SessionEventProjector.deriveSnapshot(events)).toEqual(memory)
      }
    }
  })

  it('changes outside of a run are saved, too; in sync mode before they resolve', async () => {
    const store = new WatchedStore()
    const session = await agentOf([calls('t'), 'a'], {
      tools: [simpleTool('t', () => 'x')],
      sessionStore: store,
      autosave: 'sync',
    }).newSession()
    await session.run('1')
    for (const change of [
      () => session.replaceToolOutput('t', 'y'),
      () => session.compact({ shouldCompact: () => true, compact: (memory) => shorter(memory) }),
      () => session.undo(),
      () => session.clear(),
      () => session.restore({ items: [] }),
      () => session.trimEvents(5),
    ]) {
      const before = store.saved.length
      await change()
      expect(store.saved.length).toBe(before + 1)
    }
    expect(store.saved.at(-1)?.events).toEqual(session.eventLog.events)
  })

  it('needs a store: without one, nothing is saved, save is refused and flush is no error', async () => {
    const session = await agentOf(['a'], { autosave: 'sync' }).newSession()
    await session.run('1')
    await session.flush()
    await rejection(session.save(), 'INVALID_ARGUMENT')
  })
})

const shorter = ({ items }: { items: readonly object[] }) => ({
  memory: { items: items.slice(1) as never, summary: 's' },
  completed: [],
  pending: [],
  decisions: [],
  files: [],
  openQuestions: [],
  report: {} as never,
})

describe('saves', () => {
  it('are one at a time, and those that wait share the next', async () => {
    const store = new WatchedStore()
    let open = 0
    store.before = async () => {
      expect(++open).toBe(1)
      await settle()
      open--
    }
    const session = await agentOf(['a'], { sessionStore: store, autosave: 'off' }).newSession()
    await session.run('1')
    await Promise.all(Array.from({ length: 10 }, () => session.save()))
    expect(store.saved.length).toBeLessThanOrEqual(2)
    const first = session.save()
    await settle()
    await Promise.all([first, session.save(), session.save()])
    expect(store.saved.length).toBeLessThanOrEqual(4)
  })

  it('see everything that was recorded before they were asked for', async () => {
    const store = new WatchedStore()
    const session = await agentOf([], { sessionStore: store, autosave: 'off' }).newSession()
    const slow = deferred()
    store.before = () => slow.promise
    const first = session.save()
    await settle()
    await session.restore({ items: [], summary: 'late' })
    const second = session.save()
    slow.resolve()
    await Promise.all([first, second])
    expect(store.saved.map(({ memory }) => memory.summary)).toEqual([undefined, 'late'])
  })

  it('that fail in the background come at flush, once, and as an event; the run goes on', async () => {
    const { sessionStore, broken } = failing(() => new Error('disk full of secrets'))
    const session = await agentOf(['a', 'b'], { sessionStore }).newSession()
    await session.run('1')
    await expect(session.flush()).rejects.toThrow('disk full')
    await session.flush()
    const failures = eventsOf(session, 'ERROR').map(({ payload }) => payload)
    expect(failures[0]).toEqual({ code: 'Error', message: 'Error', during: 'save' })
    broken.now = false
    await session.run('2')
    await session.flush()
    expect((await sessionStore.load(session.id))?.events).toEqual(session.eventLog.events)
  })

  it('that fail in sync mode fail the run, before the model is asked', async () => {
    const { sessionStore } = failing(() => new HoldfastError('STORAGE_FAILED', 'down'))
    const modelClient = scriptedModel(['a'])
    const agent = agentOf([], { modelClient, sessionStore, autosave: 'sync' })
    const session = await agent.newSession()
    await rejection(session.run('1'), 'STORAGE_FAILED')
    expect(modelClient.prompts).toEqual([])
    await expectFold(session)
  })

  it('that throw at once or answer garbage are failures like others', async () => {
    for (const save of [
      () => {
        throw new Error('at once')
      },
      async () => undefined,
      async () => null,
    ]) {
      const sessionStore = Object.assign(new InMemoryAgentSessionStore(), { save }) as never
      const session = await agentOf(['a'], { sessionStore }).newSession()
      expect((await session.run('1')).text).toBe('a')
      await expect(session.flush()).rejects.toThrow()
    }
  })

  it('that never end hold up nobody in the background', async () => {
    const store = new WatchedStore()
    store.before = never
    const session = await agentOf(['a', 'b'], { sessionStore: store }).newSession()
    expect((await session.run('1')).text).toBe('a')
    expect((await session.run('2')).text).toBe('b')
  })

  it('that never end in sync mode give way to an abort', async () => {
    for (const at of ['USER_INPUT', 'TOOL_CALL', 'TOOL_RESULT', 'STEP_END']) {
      const store = new WatchedStore()
      const abort = new AbortController()
      store.before = ({ events }) => {
        if (events.at(-1)?.type !== at) return undefined
        setTimeout(() => abort.abort(), 1)
        return never()
      }
      const session = await agentOf([calls('t'), 'a'], {
        tools: [simpleTool('t', () => 'x')],
        sessionStore: store,
        autosave: 'sync',
      }).newSession()
      await rejection(session.run('1', { signal: abort.signal }), 'ABORTED')
      await expectFold(session)
    }
  })
})

function failing(error: () => unknown) {
  const broken = { now: true }
  const sessionStore = new WatchedStore()
  sessionStore.before = () => {
    if (broken.now) throw error()
  }
  return { sessionStore, broken }
}

describe('a session that somebody else has saved', () => {
  const conflicting = async (autosave: AutosaveMode) => {
    const sessionStore = new InMemoryAgentSessionStore()
    const modelClient = scriptedModel([calls('t'), calls('t'), calls('t'), 'x'])
    let ran = 0
    const t = simpleTool('t', async () => {
      ran++
      // The save in the background has an end before the next step begins.
      await settle()
    })
    const agent = agentOf([], { modelClient, tools: [t], sessionStore, autosave })
    const session = await agent.newSession({ id: 's' })
    await session.save()
    await (await agent.resumeSession('s')).save()
    return { session, modelClient, ran: () => ran }
  }

  it('sync: the run ends before the model is asked', async () => {
    const { session, modelClient } = await conflicting('sync')
    await rejection(session.run('1'), 'CONFLICT')
    expect(modelClient.prompts).toHaveLength(0)
  })

  it('step: the run ends before the next tool starts', async () => {
    const { session, modelClient, ran } = await conflicting('step')
    await rejection(session.run('1'), 'CONFLICT')
    expect([modelClient.prompts.length, ran()]).toEqual([2, 1])
    expect(typesOf(session)).toContain('ERROR')
    await rejection(session.flush(), 'CONFLICT')
  })

  it('and the next run, with input or without, asks no model any more', async () => {
    const { session, modelClient } = await conflicting('step')
    await rejection(session.run('1'), 'CONFLICT')
    const { length } = modelClient.prompts
    await rejection(session.run('2', { onPending: 'close' }), 'CONFLICT')
    await rejection(session.run(null), 'CONFLICT')
    expect(modelClient.prompts).toHaveLength(length)
  })
})
