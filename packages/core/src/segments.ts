/** `@holdfast/core/segments`: the head-and-segments technique, for drivers without a cheap append. */
export { isEntries, isHeadContent } from './segments/head-content.ts'
export { inParallel } from './segments/in-parallel.ts'
export type {
  ListedSegment,
  SegmentPage,
  SegmentRef,
  SegmentStore,
  StoredHead,
} from './segments/segment-store.ts'
export { type SegmentOptions, segmentedDriver } from './segments/segmented-driver.ts'
