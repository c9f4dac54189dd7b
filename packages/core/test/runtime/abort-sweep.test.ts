import {
  type AgentMemory,
  type AutosaveMode,
  createAgent,
  InMemoryAgentMemory,
  type ModelClient,
  type ModelResult,
  scriptedModel,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { calls, countingPolicy, expectFold, WatchedStore } from '../sessions/session-support.ts'
import { expectPaired, settle, simpleTool, watched } from './support.ts'

interface Sweep {
  readonly autosave: AutosaveMode
  readonly stream: boolean
  /** Before or after the k-th call of anything. */
  readonly when: 'before' | 'after'
}

/** A run of three steps with parallel tools that aborts at the `k`-th call of anything; answers how many there were. */
async function abortedAt(k: number, { autosave, stream, when }: Sweep): Promise<number> {
  const abort = new AbortController()
  let count = 0
  const point = (at: 'before' | 'after') => {
    if (at === when && ++count === k) abort.abort(new Error('enough'))
  }
  const around =
    <T>(act: () => T) =>
    async (): Promise<Awaited<T>> => {
      point('before')
      const answer = await act()
      point('after')
      return answer
    }
  const inner = new InMemoryAgentMemory()
  const memory: AgentMemory = Object.assign(
    watched(inner, { before: () => point('before'), after: () => point('after') }),
    {
      snapshot: around(() => inner.snapshot()),
      update: inner.update.bind(inner),
      restore: inner.restore.bind(inner),
    },
  )
  const scripted = scriptedModel([
    calls('a', 'b'),
    { ...calls('c', 'd'), text: 'text' },
    'done',
    'again',
    'more',
  ])
  const modelClient: ModelClient = {
    create: (prompt, options) => around(() => scripted.create(prompt, options))(),
    ...(stream && {
      async *stream(prompt, options) {
        point('before')
        yield { type: 'text', text: 'piece' }
        const result: ModelResult = await scripted.create(prompt, options)
        point('after')
        yield { type: 'result', result }
      },
    }),
  }
  const t = (name: string) =>
    simpleTool(name, async () => {
      point('before')
      await Promise.resolve()
      point('after')
      return name
    })
  const store = new WatchedStore()
  store.before = around(() => {})
  const look = around(() => undefined)
  const agent = createAgent({
    modelClient,
    model: 'm',
    tools: ['a', 'b', 'c', 'd'].map(t),
    memorySupplier: () => memory,
    sessionStore: store,
    autosave,
    compactPolicy: countingPolicy(3),
    instructions: look as never,
    hooks: {
      beforePrompt: look,
      afterPrompt: look,
      beforeModel: look,
      afterModel: look,
      beforeTool: look,
      afterTool: look,
    },
  })
  const session = await agent.newSession({ id: `sweep ${Math.random()}` })
  count = 0
  const { signal } = abort
  const run = stream ? session.stream('Hi', { signal }).result : session.run('Hi', { signal })
  const error = await run.catch((reason: unknown) => reason)
  const made = count
  if (signal.aborted && error instanceof Error) {
    expect(error).toMatchObject({ code: 'ABORTED', cause: { message: 'enough' } })
  } else expect(error).toMatchObject({ status: 'completed' })
  await settle()
  expectPaired(await inner.getItems())
  await expectFold(session)
  await session.save()
  expect((await store.load(session.id))?.memory).toEqual(await inner.snapshot())
  // Nothing stands in the way of the next run.
  expect((await session.run('on')).status).toBe('completed')
  expectPaired(await inner.getItems())
  await expectFold(session)
  return made
}

describe.each([
  { autosave: 'off', stream: false, when: 'before' },
  { autosave: 'step', stream: true, when: 'before' },
  { autosave: 'sync', stream: false, when: 'after' },
  { autosave: 'sync', stream: true, when: 'before' },
] as const)('an abort in mode $autosave (stream: $stream), $when', (sweep) => {
  it('each call of anything leaves memory paired, the log right, and a session that goes on', async () => {
    const total = await abortedAt(0, sweep)
    expect(total).toBeGreaterThan(25)
    for (let k = 1; k <= total; k++) await abortedAt(k, sweep)
  })
})
