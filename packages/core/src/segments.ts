/** `@holdfast/core/segments`: the head-and-segments technique, for drivers without a cheap append. */
export type { SegmentStore, StoredHead } from './segments/segment-store.ts'
