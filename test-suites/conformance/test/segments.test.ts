import { segmentedDriver } from '@holdfast/core/segments'
import * as runner from 'vitest'
import { MemorySegmentStore } from '../../../packages/core/test/segments/memory-segment-store.ts'
import { testSessionDriver } from '../src/index.ts'

const sizes = {
  'as they are by default': {},
  // Nearly every write moves entries into segments, and merges some.
  'tiny heads and segments': { inlineBytes: 200, maxSegmentBytes: 1_000, fanOut: 2, cacheBytes: 0 },
}

for (const [name, options] of Object.entries(sizes)) {
  const store = new MemorySegmentStore()
  testSessionDriver(
    `segments in memory, ${name}`,
    { connect: async () => ({ driver: segmentedDriver(store, options), close: async () => {} }) },
    runner,
  )
}
