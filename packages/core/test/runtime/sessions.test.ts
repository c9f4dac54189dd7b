import {
  type AgentMemory,
  type AgentOptions,
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  MemoryDriver,
  scriptedModel,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { rejection } from './support.ts'

const agentOf = (options: Partial<AgentOptions> = {}) =>
  createAgent({ modelClient: scriptedModel(['a', 'b', 'c']), model: 'm', ...options })

/** Each test needs ids that no other one has claimed for a memory. */
let count = 0
const freshId = () => `id-${++count}`

describe('agent.session', () => {
  it('asks the supplier once per session, with the id, and may wait for it', async () => {
    const asked: string[] = []
    const memory = new InMemoryAgentMemory()
    const agent = agentOf({
      memorySupplier: async (id) => {
        asked.push(id)
        return memory
      },
    })
    const session = await agent.session('thread')
    await session.run('1')
    await session.run('2')
    expect(asked).toEqual(['thread'])
    expect(session.id).toBe('thread')
    expect(await session.memory.getItems()).toEqual(await memory.getItems())
    expect(await memory.getItems()).toHaveLength(4)
  })

  it('gives each session an empty memory by default', async () => {
    const agent = agentOf()
    const [a, b] = [await agent.session('a'), await agent.session('b')]
    await a.run('1')
    expect(await b.memory.getItems()).toEqual([])
    expect(await a.memory.getItems()).toHaveLength(2)
  })

  it('resumes what another agent stored under the id, and sees nothing of other ids', async () => {
    const driver = new MemoryDriver()
    const open = () => {
      const storage = createStorage(driver)
      return agentOf({ memorySupplier: (id) => storage.memory(id) })
    }
    await (await open().session('A')).run('1')
    expect(await (await open().session('A')).memory.getItems()).toHaveLength(2)
    for (const lookAlike of ['a', 'A ', 'А', 'A%']) {
      expect(await (await open().session(lookAlike)).memory.getItems()).toEqual([])
    }
  })

  it.each([
    ['blank', ' '],
    ['empty', ''],
    ['a control character', 'a\nb'],
    ['half a surrogate pair', '\ud800'],
    ['too long', 'x'.repeat(256)],
    ['a number', 7],
    ['undefined', undefined],
    ['null', null],
  ])('refuses an id that is %s before it asks the supplier', async (_, id) => {
    let asked = 0
    const agent = agentOf({
      memorySupplier: () => {
        asked++
        return new InMemoryAgentMemory()
      },
    })
    await rejection(agent.session(id as string), 'INVALID_ARGUMENT')
    if (id !== undefined) {
      await rejection(agent.newSession({ id: id as string }), 'INVALID_ARGUMENT')
    }
    expect(asked).toBe(0)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['a memory without a method', { ...methods(), addToolOutput: undefined }],
  ])('refuses a supplier that returns %s', async (_, memory) => {
    const agent = agentOf({ memorySupplier: () => memory as unknown as AgentMemory })
    await rejection(agent.session('x'), 'INVALID_ARGUMENT')
  })

  it('lets the error of a supplier through', async () => {
    const cause = new Error('no database')
    const agent = agentOf({
      memorySupplier: () => {
        throw cause
      },
    })
    await expect(agent.session('x')).rejects.toBe(cause)
  })
})

function methods(): AgentMemory {
  const memory = new InMemoryAgentMemory()
  return {
    addUserInput: (input) => memory.addUserInput(input),
    addOutputItems: (items) => memory.addOutputItems(items),
    addToolOutput: (id, output) => memory.addToolOutput(id, output),
    getItems: () => memory.getItems(),
    getSummary: () => memory.getSummary(),
    clear: () => memory.clear(),
  }
}

describe('agent.newSession', () => {
  it('makes a random id', async () => {
    const agent = agentOf()
    const [a, b] = [await agent.newSession(), await agent.newSession({})]
    expect(a.id).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    expect(b.id).not.toBe(a.id)
    expect((await a.run('Hi')).text).toBe('a')
  })

  it('takes an id whose memory is empty, and refuses one that holds something', async () => {
    const storage = createStorage(new MemoryDriver())
    const agent = agentOf({ memorySupplier: (id) => storage.memory(id) })
    const session = await agent.newSession({ id: 'mine' })
    expect(session.id).toBe('mine')
    await session.run('Hi')
    await rejection(agent.newSession({ id: 'mine' }), 'CONFLICT')
    await storage.memory('summed').setSummary('Earlier.')
    await rejection(agent.newSession({ id: 'summed' }), 'CONFLICT')
    expect(await session.memory.getItems()).toHaveLength(2)
  })

  it('refuses options that are none', async () => {
    await rejection(agentOf().newSession('id' as never), 'INVALID_ARGUMENT')
    await rejection(agentOf().newSession(null as never), 'INVALID_ARGUMENT')
  })
})

describe('SHARED_MEMORY', () => {
  it('finds one object for two ids, naming both', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = agentOf({ memorySupplier: () => memory })
    const [first, second] = [freshId(), freshId()]
    const session = await agent.session(first)
    const error = await rejection(agent.session(second), 'SHARED_MEMORY')
    expect(error.message).toContain(first)
    expect(error.message).toContain(second)
    expect(error.message).toContain('memorySupplier')
    await rejection(agent.newSession(), 'SHARED_MEMORY')
    expect((await session.run('1')).text).toBe('a')
    expect(await (await agent.session(first)).memory.getItems()).toEqual(await memory.getItems())
  })

  it('finds two handles of one stored memory, also across agents', async () => {
    const storage = createStorage(new MemoryDriver())
    const supply = () => storage.memory('a')
    await agentOf({ memorySupplier: supply }).session(freshId())
    await rejection(agentOf({ memorySupplier: supply }).session(freshId()), 'SHARED_MEMORY')
  })

  it('accepts two handles of one stored memory for one id', async () => {
    const storage = createStorage(new MemoryDriver())
    const agent = agentOf({ memorySupplier: (id) => storage.memory(id) })
    const [a, again] = [await agent.session('a'), await agent.session('a')]
    await a.run('1')
    expect(again.memory).not.toBe(a.memory)
    expect((await again.memory.getItems())[0]).toEqual(userMessage('1'))
  })

  it('does not take memories of two storages or scopes for one', async () => {
    const driver = new MemoryDriver()
    const storage = createStorage(driver)
    const memories = [storage.memory('a'), storage.scope('t').memory('a'), storage.memory('b')]
    const agent = agentOf({ memorySupplier: () => memories.pop() as AgentMemory })
    for (const id of [freshId(), freshId(), freshId()]) await agent.session(id)
    expect(memories).toEqual([])
  })

  it('goes by the object where a memory’s identity is none', async () => {
    const supply = () => Object.assign(methods(), { identity: 'same text' })
    const agent = agentOf({ memorySupplier: supply })
    await agent.session(freshId())
    await agent.session(freshId())
    const nothing = agentOf({ memorySupplier: () => Object.assign(methods(), { identity: null }) })
    await nothing.session(freshId())
    await nothing.session(freshId())
  })
})
