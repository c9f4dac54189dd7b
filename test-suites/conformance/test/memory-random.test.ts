import { createStorage, InMemoryAgentMemory, MemoryDriver } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { brokenMemories } from '../broken/memories/index.ts'
import { agentMemorySuite, type MemoryHarness, randomMemoryCase } from '../src/memory/index.ts'
import { chooseSeed } from '../src/wrappers/index.ts'

const SEQUENCES = 10
const first = chooseSeed()
const newId = () => crypto.randomUUID()

const inProcess = (): MemoryHarness => ({
  abilities: { persistent: false, swap: 'lazy', snapshot: true },
  open: async (_id, options) => new InMemoryAgentMemory(options),
  reopen: () => Promise.reject(new Error('There is one process.')),
  newId,
})

function stored(): MemoryHarness {
  const driver = new MemoryDriver()
  const [one, two] = [createStorage(driver), createStorage(driver)]
  return {
    abilities: { persistent: true, swap: 'eager', snapshot: true },
    open: async (id, options) => one.memory(id, options),
    reopen: async (id, options) => two.memory(id, options),
    newId,
  }
}

describe(`random memory calls, from seed ${first}`, () => {
  for (let index = 0; index < SEQUENCES; index++) {
    const seed = (first + index) >>> 0
    it(`in one process, seed ${seed}`, () => randomMemoryCase(seed).run(inProcess()))
    it(`over a storage, seed ${seed}`, () => randomMemoryCase(seed).run(stored()))
  }
})

describe('a seed', () => {
  const broken = brokenMemories.find(({ rejectedBy }) => rejectedBy === 'memory-random-calls')
  const end = (seed: number) =>
    randomMemoryCase(seed)
      .run(broken?.harness() ?? inProcess())
      .then(
        () => 'passed',
        (error: Error) => error.message,
      )

  it('is named where a sequence fails, and repeats it', async () => {
    const message = await end(20_241)
    expect(message).toContain('seed 20241, step ')
    expect(await end(20_241)).toBe(message)
  })

  it('is taken from HOLDFAST_SEED where none is given', () => {
    const before = process.env['HOLDFAST_SEED']
    try {
      process.env['HOLDFAST_SEED'] = '4711'
      const suite = agentMemorySuite({
        connect: () => Promise.reject(new Error('No case runs.')),
        persistent: false,
        swap: 'lazy',
        snapshot: true,
      })
      expect(suite.seed).toBe(4711)
      expect(suite.cases.at(-1)?.name).toContain('4711')
    } finally {
      if (before === undefined) delete process.env['HOLDFAST_SEED']
      else process.env['HOLDFAST_SEED'] = before
    }
  })
})
