import {
  type CompactPolicy,
  type CompactResult,
  InMemoryAgentMemory,
  scriptedModel,
  systemMessage,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import {
  assistant,
  deferred,
  expectPaired,
  rejection,
  settle,
  simpleTool,
} from '../runtime/support.ts'
import {
  agentOf,
  calls,
  compactResult,
  countingPolicy,
  eventsOf,
  expectFold,
  onlyPayload,
  texts,
  typesOf,
} from './session-support.ts'

const policyOf = (compact: (...args: Parameters<CompactPolicy['compact']>) => unknown) =>
  ({ shouldCompact: () => true, compact }) as CompactPolicy

const summarised = (summary: string): CompactResult => compactResult({ items: [], summary })

describe('compaction in the loop', () => {
  it('shortens what is finished at the start of a step; the unfinished turn stays', async () => {
    const modelClient = scriptedModel(['a', calls('t'), 'b'])
    const seen: unknown[] = []
    const { compact } = countingPolicy()
    const compactPolicy: CompactPolicy = {
      shouldCompact: (snapshot) => snapshot.items.length >= 3,
      compact: (snapshot, options) => {
        seen.push(texts(snapshot.items), options?.signal?.aborted)
        return compact(snapshot)
      },
    }
    const session = await agentOf([], {
      modelClient,
      compactPolicy,
      tools: [simpleTool('t', () => 'x')],
    }).newSession()
    await session.run('1')
    await session.run('2')
    expect(seen).toEqual([['1', 'a'], false])
    expect(modelClient.prompts[1]?.items).toEqual([systemMessage('[2]'), userMessage('2')])
    expect(texts(modelClient.prompts[2]?.items ?? [])).toEqual(['[2]', '2', 't', 'x'])
    const { payload, step, runId } = eventsOf(session, 'MEMORY_COMPRESS')[0] ?? {}
    expect(payload).toEqual({
      ...compactResult({ items: [], summary: '[2]' }),
      memory: { items: [userMessage('2')], summary: '[2]' },
    })
    expect([step, runId]).toEqual([0, eventsOf(session, 'USER_INPUT')[1]?.runId])
    expectPaired((await expectFold(session)).items)
  })

  it.each([
    [
      'throws when asked',
      {
        shouldCompact: () => {
          throw new RangeError('secret')
        },
      },
    ],
    [
      'throws',
      {
        compact: () => {
          throw new RangeError('secret')
        },
      },
    ],
    ['rejects', { compact: async () => Promise.reject(new RangeError('secret')) }],
  ])('goes on uncompacted, and says so, where the policy %s', async (_, broken) => {
    const compactPolicy = { ...countingPolicy(), ...broken }
    const session = await agentOf(['a', 'b'], { compactPolicy }).newSession()
    await session.restore({ items: [userMessage('0'), assistant('0')] })
    expect((await session.run('1')).text).toBe('a')
    expect(onlyPayload(session, 'ERROR')).toEqual({
      code: 'RangeError',
      message: 'The compaction failed; the run goes on uncompacted.',
      during: 'compaction',
    })
    expect(await session.memory.getItems()).toHaveLength(4)
    await expectFold(session)
  })

  it.each([
    ['nothing', undefined],
    ['no memory', { summary: 's' }],
    ['a memory without items', { memory: {} }],
    ['items that are none', { memory: { items: [1] } }],
    ['what JSON cannot carry', { ...summarised('s'), files: [new Date()] }],
    ['a summary that is no text', { memory: { items: [], summary: 5 } }],
  ])('an answer that is %s is a failure; memory stays', async (_, garbage) => {
    const session = await agentOf(['a', 'b'], {
      compactPolicy: policyOf(() => garbage),
    }).newSession()
    await session.run('1')
    const before = await session.memory.snapshot()
    await expect(session.compact()).rejects.toMatchObject({ outcome: 'not-committed' })
    expect(await session.memory.snapshot()).toEqual(before)
    expect((await session.run('2')).text).toBe('b')
    expect(eventsOf(session, 'ERROR')).toHaveLength(1)
    expect(typesOf(session)).not.toContain('MEMORY_COMPRESS')
    await expectFold(session)
  })

  it('that hangs gives way to an abort', async () => {
    let told: AbortSignal | undefined
    const hangs = policyOf((_, options) => {
      told = options?.signal
      return new Promise(() => {})
    })
    const session = await agentOf(['a'], { compactPolicy: hangs }).newSession()
    await session.restore({ items: [userMessage('0'), assistant('0')] })
    const abort = new AbortController()
    const run = session.run('1', { signal: abort.signal })
    await settle()
    abort.abort()
    await rejection(run, 'ABORTED')
    expect(told?.aborted).toBe(true)
    await expectFold(session)
  })

  it('over a memory that cannot be updated is a failure like others', async () => {
    const memory = new InMemoryAgentMemory()
    const { snapshot, update, ...rest } = memoryWithout(memory)
    const session = await agentOf(['a', 'b'], {
      memorySupplier: () => rest as unknown as InMemoryAgentMemory,
      compactPolicy: countingPolicy(2),
    }).newSession()
    await session.run('1')
    expect((await session.run('2')).text).toBe('b')
    expect(onlyPayload(session, 'ERROR')).toMatchObject({ code: 'UNSUPPORTED' })
    await rejection(session.compact(), 'UNSUPPORTED')
    await expectFold(session)
  })
})

function memoryWithout(memory: InMemoryAgentMemory) {
  return {
    addUserInput: memory.addUserInput.bind(memory),
    addOutputItems: memory.addOutputItems.bind(memory),
    addToolOutput: memory.addToolOutput.bind(memory),
    getItems: memory.getItems.bind(memory),
    getSummary: memory.getSummary.bind(memory),
    clear: memory.clear.bind(memory),
    snapshot: undefined,
    update: undefined,
  }
}

describe('session.compact', () => {
  const started = async (compactPolicy?: CompactPolicy) => {
    const session = await agentOf(['a', 'b', 'c'], { compactPolicy }).newSession()
    await session.run('1')
    return session
  }

  it('uses the agent’s policy, or its own, and lets the error through', async () => {
    const session = await started(countingPolicy())
    expect((await session.compact())?.summary).toBe('[2]')
    const cause = new Error('model is down')
    const fails = policyOf(() => {
      throw cause
    })
    await session.run('2')
    await expect(session.compact(fails)).rejects.toBe(cause)
    expect((await session.snapshot()).compact).toMatchObject({ summary: '[2]' })
    await rejection((await started()).compact(), 'INVALID_ARGUMENT')
    await rejection((await started()).compact({} as never), 'INVALID_ARGUMENT')
    await rejection(session.compact(undefined, { sginal: 1 } as never), 'INVALID_ARGUMENT')
  })

  it('does nothing where there is nothing to shorten', async () => {
    const session = await agentOf([]).newSession()
    expect(await session.compact(countingPolicy())).toBeUndefined()
    expect(session.eventLog.events).toEqual([])
    const same = await started()
    const before = same.eventLog.lastSequence
    expect((await same.compact(policyOf(compactResult as never)))?.memory.items).toHaveLength(2)
    expect(same.eventLog.lastSequence).toBe(before)
  })

  it('keeps what is added while a slow policy thinks', async () => {
    const gate = deferred<CompactResult>()
    const session = await started()
    const compacting = session.compact(policyOf(() => gate.promise))
    await settle()
    await session.run('2')
    gate.resolve(summarised('one'))
    await compacting
    expect(await expectFold(session)).toEqual({
      items: [userMessage('2'), assistant('b')],
      summary: 'one',
    })
  })

  it('is CONFLICT where what it saw has changed, and changes nothing', async () => {
    for (const change of [
      (session: Awaited<ReturnType<typeof started>>) => session.clear(),
      (session: Awaited<ReturnType<typeof started>>) => session.compact(countingPolicy()),
      (session: Awaited<ReturnType<typeof started>>) => session.undo(),
    ]) {
      const gate = deferred<CompactResult>()
      const session = await started()
      const compacting = session.compact(policyOf(() => gate.promise))
      await settle()
      await change(session)
      const before = await session.memory.snapshot()
      gate.resolve(summarised('late'))
      await rejection(compacting, 'CONFLICT')
      expect(await expectFold(session)).toEqual(before)
    }
  })

  it('takes an abort, and drops what comes later', async () => {
    const gate = deferred<CompactResult>()
    const session = await started()
    const abort = new AbortController()
    const compacting = session.compact(
      policyOf(() => gate.promise),
      { signal: abort.signal },
    )
    await settle()
    abort.abort('enough')
    expect((await rejection(compacting, 'ABORTED')).cause).toBe('enough')
    gate.resolve(summarised('late'))
    await settle()
    expect((await expectFold(session)).summary).toBeUndefined()
    await rejection(session.compact(countingPolicy(), { signal: abort.signal }), 'ABORTED')
  })

  it('gives the policy a copy, and keeps one of its answer', async () => {
    const result = summarised('s') as unknown as { memory: { items: unknown[] } }
    const session = await started()
    await session.compact(
      policyOf((snapshot) => {
        ;(snapshot.items as unknown[]).length = 0
        return result
      }),
    )
    result.memory.items.push(userMessage('smuggled'))
    expect(await expectFold(session)).toEqual({ items: [], summary: 's' })
  })
})

describe('a prompt that is fitted to a budget', () => {
  it('is told of by a report that the fold passes over', async () => {
    const modelClient = scriptedModel(['a', 'b', 'c'])
    const session = await agentOf([], { modelClient, budget: { maxItems: 2 } }).newSession()
    for (const text of ['1', '2', '3']) await session.run(text)
    const reports = eventsOf(session, 'MEMORY_COMPRESS')
    expect(reports.length).toBeGreaterThan(0)
    for (const { payload } of reports) {
      expect(Object.keys(payload)).toEqual(['report'])
      expect(payload['report']).toMatchObject({ dropped: expect.any(Number) })
    }
    expect(modelClient.prompts[2]?.items.length).toBeLessThanOrEqual(2)
    expect((await expectFold(session)).items).toHaveLength(6)
    expect((await session.snapshot()).compact).toBeUndefined()
  })
})

it('a policy that answers a promise to shouldCompact fails, and the run goes on', async () => {
  const policy = {
    shouldCompact: async () => {
      throw new Error('late')
    },
    compact: () => compactResult({ items: [] }),
  }
  const session = await agentOf(['end'], { compactPolicy: policy as never }).session('s')
  expect(await session.run('Hi')).toMatchObject({ text: 'end' })
  expect(onlyPayload(session, 'ERROR')).toMatchObject({
    code: 'INVALID_ARGUMENT',
    during: 'compaction',
  })
})
