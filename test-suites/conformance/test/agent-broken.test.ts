import { afterAll, describe, expect, it } from 'vitest'
import { plainAgent } from '../broken/agents/broken-agent.ts'
import { brokenAgents } from '../broken/agents/index.ts'
import { type AgentHarness, agentCases, randomSessionsCase } from '../src/agent/index.ts'
import { within } from '../src/within.ts'

const SEED = 20_241
/** A case that hangs has failed: a broken agent may never answer. */
const PATIENCE_MS = 10_000

const cases = [...agentCases, randomSessionsCase(SEED)]
const rejected = new Set<string>()

/** How the case ended: `passed`, or why not. */
const run = (current: (typeof cases)[number], harness: AgentHarness): Promise<string> =>
  within(PATIENCE_MS, current.id, () => current.run(harness)).then(
    () => 'passed',
    (error: unknown) => String(error),
  )

describe('the loop that the broken ones are made from', () => {
  const harness = plainAgent()
  for (const current of cases) {
    if ((current.applies?.(harness) ?? true) !== true) continue
    it(`passes ${current.id}`, () => current.run(harness))
  }
})

describe('broken agents', () => {
  for (const { fault, rejectedBy, harness } of brokenAgents) {
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

  it('every case has a broken agent that dies of it', () => {
    const named = new Set(brokenAgents.map(({ rejectedBy }) => rejectedBy))
    expect(cases.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([])
  })

  afterAll(() => {
    console.info(
      `${rejected.size} of ${brokenAgents.length} broken agents rejected by the case named for it; ${cases.length} agent cases`,
    )
  })
})
