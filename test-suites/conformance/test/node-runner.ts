// Run by Node's own test runner, in a process of its own: see `driver-node-runner.test.ts`.
import { after, describe, it } from 'node:test'
import { testAgentMemory, testSessionDriver } from '@holdfast/conformance'
import { InMemoryAgentMemory, MemoryDriver } from '@holdfast/core'

const driver = new MemoryDriver()
const runner = { describe, it, after }

testSessionDriver(
  'MemoryDriver',
  { connect: async () => ({ driver, close: async () => {} }), seed: 7 },
  runner,
)

testAgentMemory(
  'InMemoryAgentMemory',
  {
    connect: async () => ({
      open: (_, options) => new InMemoryAgentMemory(options),
      close: async () => {},
    }),
  },
  { persistent: false, swap: 'lazy', snapshot: true },
  runner,
)
