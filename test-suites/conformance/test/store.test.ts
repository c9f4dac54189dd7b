import { createStorage, InMemoryAgentSessionStore, MemoryDriver } from '@holdfast/core'
import * as runner from 'vitest'
import { randomStoreCase, testAgentSessionStore } from '../src/store/index.ts'
import { chooseSeed } from '../src/wrappers/index.ts'

const { describe, it } = runner

testAgentSessionStore(
  'InMemoryAgentSessionStore',
  async () => ({ store: new InMemoryAgentSessionStore(), close: async () => {} }),
  { processes: 1 },
  runner,
)

const driver = new MemoryDriver()

testAgentSessionStore(
  'DurableSessionStore over MemoryDriver',
  async () => {
    const storage = createStorage(driver)
    return { store: storage.sessions(), close: () => storage.close() }
  },
  {},
  runner,
)

testAgentSessionStore(
  'DurableSessionStore in a scope',
  async () => {
    const storage = createStorage(driver)
    return { store: storage.scope('tenant:7').scope('~').sessions(), close: () => storage.close() }
  },
  {},
  runner,
)

const SEQUENCES = 10
const first = chooseSeed()
const newId = () => crypto.randomUUID()

describe(`random session-store calls, from seed ${first}`, () => {
  for (let index = 0; index < SEQUENCES; index++) {
    const seed = (first + index) >>> 0
    it(`in one process, seed ${seed}`, async () => {
      const store = new InMemoryAgentSessionStore()
      await randomStoreCase(seed).run({ store, other: store, newId })
    })
    it(`over a storage, seed ${seed}`, async () => {
      const [one, two] = [createStorage(driver), createStorage(driver)]
      await randomStoreCase(seed).run({ store: one.sessions(), other: two.sessions(), newId })
    })
  }
})
