import {
  createAgent,
  createStorage,
  InMemoryAgentMemory,
  MemoryDriver,
  scriptedModel,
} from '@holdfast/core'
import * as runner from 'vitest'
import { brokenSuppliers } from '../broken/suppliers/index.ts'
import { type MemorySupplier, supplierCases, testMemorySupplier } from '../src/memory/index.ts'

const { afterAll, describe, expect, it } = runner

testMemorySupplier(
  'a supplier of in-memory memories',
  { connect: async () => ({ supply: () => new InMemoryAgentMemory(), close: async () => {} }) },
  { persistent: false },
  runner,
)

const driver = new MemoryDriver()

testMemorySupplier(
  'a supplier of stored memories',
  {
    async connect() {
      const storage = createStorage(driver)
      return { supply: (id) => storage.memory(id), close: () => storage.close() }
    },
  },
  { persistent: true },
  runner,
)

describe('broken suppliers', () => {
  let rejected = 0
  for (const { fault, rejectedBy, code, harness } of brokenSuppliers) {
    it(`${fault}: rejected by ${rejectedBy}`, async () => {
      const broken = harness()
      const current = supplierCases.find(({ id }) => id === rejectedBy)
      expect(current, `the case ${rejectedBy} exists`).toBeDefined()
      expect(current?.applies?.(broken) ?? true).toBe(true)
      const ended = await current?.run(broken).then(
        () => 'passed',
        (error: Error & { code?: string }) => error,
      )
      expect(ended).toBeInstanceOf(Error)
      rejected += 1
      if (code === undefined) return
      // Not the case alone: core refuses it as well.
      const agent = agentOf(broken.supply)
      await agent.session('one').catch(() => {})
      await expect(agent.session('two')).rejects.toMatchObject({ code })
    })
  }

  it('every case has a broken supplier that dies of it', () => {
    const named = new Set(brokenSuppliers.map((broken) => broken.rejectedBy))
    expect(supplierCases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
  })

  afterAll(() => {
    console.info(
      `${rejected} of ${brokenSuppliers.length} broken suppliers rejected by the case named for it; ${supplierCases.length} supplier cases`,
    )
  })
})

const agentOf = (memorySupplier: MemorySupplier) =>
  createAgent({ modelClient: scriptedModel([]), model: 'scripted', memorySupplier })

describe('what core asks of a supplier', () => {
  it('asks once per session object, with its id', async () => {
    const asked: string[] = []
    const agent = createAgent({
      modelClient: scriptedModel(['a', 'b']),
      model: 'scripted',
      memorySupplier: (id) => {
        asked.push(id)
        return new InMemoryAgentMemory()
      },
    })
    const session = await agent.session('thread 1')
    await session.run('one')
    await session.run('two')
    await agent.session('thread 2')
    expect(asked).toEqual(['thread 1', 'thread 2'])
  })

  it('finds a memory shared by the sessions of two agents', async () => {
    const memory = new InMemoryAgentMemory()
    await agentOf(() => memory).session('one')
    await expect(agentOf(() => memory).session('two')).rejects.toMatchObject({
      code: 'SHARED_MEMORY',
    })
  })

  it('lets one id have one object again and again', async () => {
    const memory = new InMemoryAgentMemory()
    const agent = agentOf(() => memory)
    await agent.session('one')
    const again = await agent.session('one')
    await memory.addUserInput('of both')
    expect(await again.memory.getItems()).toEqual(await memory.getItems())
  })

  it('never asks it for a run without a session', async () => {
    const agent = createAgent({
      modelClient: scriptedModel(['done']),
      model: 'scripted',
      memorySupplier: () => {
        throw new Error('must not be asked')
      },
    })
    expect((await agent.run('hello')).text).toBe('done')
  })
})
