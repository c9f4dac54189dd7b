import * as runner from 'vitest'
import { coreAgent } from '../broken/agents/core-agent.ts'
import { testAgent } from '../src/agent/index.ts'

testAgent("core's agent", coreAgent(), runner)
