import {
  type AgentMemory,
  type AgentSession,
  HoldfastError,
  InMemoryAgentMemory,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { expectPaired, rejection, simpleTool } from '../runtime/support.ts'
import { agentOf, calls, eventsOf, expectFold } from './session-support.ts'

/** A memory of which one method behaves otherwise, once. */
function oddMemory(
  method: keyof InMemoryAgentMemory,
  odd: (real: () => Promise<unknown>) => unknown,
) {
  const memory = new InMemoryAgentMemory()
  const state = { armed: false }
  const real = memory[method].bind(memory) as (...args: unknown[]) => Promise<unknown>
  Object.assign(memory, {
    [method]: (...args: unknown[]) => {
      if (!state.armed) return real(...args)
      state.armed = false
      return odd(() => real(...args))
    },
  })
  return { memory, state }
}

const unknown = () =>
  new HoldfastError('STORAGE_FAILED', 'The answer was lost.', { outcome: 'unknown' })

describe('a write of which nobody knows what became', () => {
  it.each([
    ['was stored', true],
    ['was not', false],
  ])('and which %s is put right in the log by the next run', async (_, stored) => {
    for (const method of ['addUserInput', 'addOutputItems', 'addToolOutput'] as const) {
      const { memory, state } = oddMemory(method, async (real) => {
        if (stored) await real()
        throw unknown()
      })
      const session = await agentOf([calls('t'), 'a', 'b'], {
        tools: [simpleTool('t', () => 'x')],
        memorySupplier: () => memory,
      }).newSession()
      state.armed = true
      await rejection(session.run('1'), 'STORAGE_FAILED')
      await session.run('2', { onPending: 'close' })
      await expectFold(session)
      const repaired = eventsOf(session, 'SESSION_RESTORED').map(({ payload }) => payload['reason'])
      expect(repaired).toEqual(['repair'])
      expectPaired(await memory.getItems())
    }
  })

  it('as a whole is put right, too', async () => {
    for (const act of [
      (session: AgentSession) => session.undo(),
      (session: AgentSession) => session.replaceToolOutput('t', 'short'),
    ]) {
      const { memory, state } = oddMemory('update', async (real) => {
        await real()
        throw unknown()
      })
      const session = await agentOf([calls('t'), 'a', 'b'], {
        tools: [simpleTool('t', () => 'x')],
        memorySupplier: () => memory,
      }).newSession()
      await session.run('1')
      state.armed = true
      await rejection(act(session), 'STORAGE_FAILED')
      await session.run('2')
      await expectFold(session)
    }
  })

  it('that cannot be read after a change is put right, too', async () => {
    const { memory, state } = oddMemory('snapshot', () => Promise.reject(new Error('blip')))
    const session = await agentOf(['a', 'b'], { memorySupplier: () => memory }).newSession()
    await session.run('1')
    state.armed = true
    await expect(session.clear()).rejects.toThrow('blip')
    expect(await memory.snapshot()).toEqual({ items: [] })
    await session.run('2')
    await expectFold(session)
  })
})

describe('a memory', () => {
  it.each(['addUserInput', 'addOutputItems', 'addToolOutput', 'getItems'] as const)(
    'whose %s throws at once fails the run, and the next one goes on',
    async (method) => {
      const { memory, state } = oddMemory(method, () => {
        throw 'at once'
      })
      const session = await agentOf([calls('t'), 'a', 'b'], {
        tools: [simpleTool('t', () => 'x')],
        memorySupplier: () => memory,
      }).newSession()
      state.armed = true
      await expect(session.run('1')).rejects.toBe('at once')
      expect((await session.run('2', { onPending: 'close' })).status).toBe('completed')
      expectPaired(await memory.getItems())
      await expectFold(session)
    },
  )

  it('that changes what it was given changes nothing of the caller’s', async () => {
    const inner = new InMemoryAgentMemory()
    const take = (items: unknown) => {
      for (const item of items as { type: string }[]) item.type = 'stolen'
      ;(items as unknown[]).length = 0
    }
    const memory: AgentMemory = Object.assign(new InMemoryAgentMemory(), {
      addUserInput: async (items: never) => {
        await inner.addUserInput(items)
        take(items)
      },
      addOutputItems: async (items: never) => {
        await inner.addOutputItems(items)
        take(items)
      },
      addToolOutput: inner.addToolOutput.bind(inner),
      getItems: () => inner.getItems(),
      snapshot: () => inner.snapshot(),
    })
    const input = [userMessage('1')]
    const session = await agentOf([calls('t'), 'a'], {
      tools: [simpleTool('t', () => 'x')],
      memorySupplier: () => memory,
    }).newSession()
    await session.run(input)
    expect(input).toEqual([userMessage('1')])
    expectPaired(await inner.getItems())
  })

  it('that answers no items is refused', async () => {
    const memory = Object.assign(new InMemoryAgentMemory(), { getItems: async () => 5 })
    const session = await agentOf(['a'], { memorySupplier: () => memory as never }).newSession()
    await rejection(session.run('1'), 'INVALID_ARGUMENT')
  })
})
