import * as runner from 'vitest'
import { plainAgent } from '../broken/agents/broken-agent.ts'
import { coreAgent } from '../broken/agents/core-agent.ts'
import { randomSessionsCase, testAgent } from '../src/agent/index.ts'
import { chooseSeed } from '../src/wrappers/index.ts'

const { describe, it } = runner

testAgent("core's agent", coreAgent(), runner)
testAgent('a loop of its own', plainAgent(), runner)

const SEQUENCES = 20
const first = chooseSeed()

describe(`random session operations, from seed ${first}`, () => {
  for (let index = 0; index < SEQUENCES; index++) {
    const seed = (first + index) >>> 0
    it(`seed ${seed}`, () => randomSessionsCase(seed).run(coreAgent()))
  }
})
