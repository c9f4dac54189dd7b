import { afterAll, describe, expect, it } from 'vitest'
import { brokenMemories } from '../broken/memories/index.ts'
import { agentMemoryCases, type MemoryHarness, randomMemoryCase } from '../src/memory/index.ts'

const SEED = 20_241
/** A case that hangs has failed: a broken memory may never answer. */
const PATIENCE_MS = 10_000

const cases = [...agentMemoryCases, randomMemoryCase(SEED)]
const rejected = new Set<string>()

/** How the case ended: `passed`, or why not. */
async function run(current: (typeof cases)[number], harness: MemoryHarness): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const hangs = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('hangs'), PATIENCE_MS)
  })
  const ended = current.run(harness).then(
    () => 'passed',
    (error: unknown) => String(error),
  )
  return Promise.race([ended, hangs]).finally(() => clearTimeout(timer))
}

describe('broken memories', () => {
  for (const { fault, rejectedBy, harness } of brokenMemories) {
    it(`${fault}: rejected by ${rejectedBy}`, async () => {
      const broken = harness()
      const current = cases.find(({ id }) => id === rejectedBy)
      expect(current, `the case ${rejectedBy} exists`).toBeDefined()
      if (!current) return
      expect(current.applies?.(broken) ?? true).toBe(true)
      expect(await run(current, broken)).not.toBe('passed')
      rejected.add(`${fault}: ${rejectedBy}`)
    })
  }

  it('every case has a broken memory that dies of it', () => {
    const named = new Set(brokenMemories.map(({ rejectedBy }) => rejectedBy))
    expect(cases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
  })

  afterAll(() => {
    console.info(
      `${rejected.size} of ${brokenMemories.length} broken memories rejected by the case named for it; ${cases.length} memory cases`,
    )
  })
})
