import { type AgentMemory, createStorage, InMemoryAgentMemory, MemoryDriver } from '@holdfast/core'
import * as runner from 'vitest'
import { testAgentMemory } from '../src/memory/index.ts'

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

/** Nothing but what the loop needs. */
function sixMethods(): AgentMemory {
  const memory = new InMemoryAgentMemory()
  return {
    addUserInput: (input) => memory.addUserInput(input),
    addOutputItems: (items) => memory.addOutputItems(items),
    addToolOutput: (callId, output) => memory.addToolOutput(callId, output),
    getItems: () => memory.getItems(),
    getSummary: () => memory.getSummary(),
    clear: () => memory.clear(),
  }
}

testAgentMemory(
  'a memory of six methods',
  { connect: async () => ({ open: sixMethods, close: async () => {} }) },
  { persistent: false, swap: 'none', snapshot: false },
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
