import { createStorage, InMemoryAgentMemory, MemoryDriver } from '@holdfast/core'
import * as vitest from 'vitest'
import { testAgentMemory } from '../src/memory/index.ts'

const runner = { describe: vitest.describe, it: vitest.it, afterAll: vitest.afterAll } as never

testAgentMemory(
  'InMemoryAgentMemory',
  {
    connect: async () => ({
      open: (_id, options) => new InMemoryAgentMemory(options),
      close: async () => {},
    }),
  },
  { persistent: false, swap: 'lazy', snapshot: true },
  runner,
)

const driver = new MemoryDriver()

testAgentMemory(
  'DurableAgentMemory over MemoryDriver',
  {
    connect: async () => {
      const storage = createStorage(driver)
      return { open: (id, options) => storage.memory(id, options), close: () => storage.close() }
    },
  },
  { persistent: true, swap: 'eager', snapshot: true },
  runner,
)

testAgentMemory(
  'DurableAgentMemory in a scope',
  {
    connect: async () => {
      const storage = createStorage(driver)
      const scope = storage.scope('tenant:7').scope('inner')
      return { open: (id, options) => scope.memory(id, options), close: () => storage.close() }
    },
  },
  { persistent: true, swap: 'eager', snapshot: true },
  runner,
)
