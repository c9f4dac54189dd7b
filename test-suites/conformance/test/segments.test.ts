import { segmentedDriver } from '@holdfast/core/segments'
import * as runner from 'vitest'
import { testSessionDriver } from '../src/index.ts'
import { SegmentMap } from './support/segment-map.ts'

const sizes = {
  'as they are by default': {},
  // Nearly every write moves entries into segments, and merges some.
  'tiny heads and segments': { inlineBytes: 200, maxSegmentBytes: 1_000, fanOut: 2, cacheBytes: 0 },
}

for (const [name, options] of Object.entries(sizes)) {
  const store = new SegmentMap()
  testSessionDriver(
    `segments in memory, ${name}`,
    { connect: async () => ({ driver: segmentedDriver(store, options), close: async () => {} }) },
    runner,
  )
}
