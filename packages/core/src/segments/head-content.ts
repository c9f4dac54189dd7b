import type { SegmentRef, StoredHead } from './segment-store.ts'

const isText = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

/** Whether `value` is a list of entries: what a segment holds. */
export const isEntries = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText)

function isRef(ref: unknown): ref is SegmentRef {
  const { name, count, bytes, level } = Object(ref)
  return isText(name) && [count, bytes, level].every(isCount)
}

/**
 * Whether `value` is what a head holds beside its names. Checked whole: whatever came into a store from elsewhere
 * must not be met as an error of another kind later on.
 */
export function isHeadContent(
  value: unknown,
): value is Pick<StoredHead, 'segments' | 'skip' | 'entries'> {
  const { segments, skip, entries } = Object(value)
  return Array.isArray(segments) && segments.every(isRef) && isCount(skip) && isEntries(entries)
}
