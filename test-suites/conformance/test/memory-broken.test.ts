import { brokenMemories } from '../broken/memories/index.ts'
import { agentMemoryCases, randomMemoryCase } from '../src/memory/index.ts'
import { describeBroken } from './support/describe-broken.ts'

const SEED = 20_241
const cases = [...agentMemoryCases, randomMemoryCase(SEED)]

describeBroken('memory', cases, brokenMemories)
