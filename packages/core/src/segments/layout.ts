import { utf8Length } from '../ids.ts'
import type { SegmentRef, StoredHead } from './segment-store.ts'

export interface Limits {
  readonly inlineBytes: number
  readonly maxSegmentBytes: number
  readonly fanOut: number
}

/** What an entry takes beside its text: an index of the array, quotes, a comma. */
const OVERHEAD = 16

/** A stored segment, the first of which may have lost some entries at its front; or entries not yet in one. */
export type Part =
  | { readonly ref: SegmentRef; readonly skip: number }
  | { readonly entries: readonly string[] }

/** A segment of the state to come: one part that is stored already stays as it is, all else is written. */
export interface Planned {
  readonly parts: readonly Part[]
  readonly bytes: number
  readonly level: number
}

/** The state to come. */
export interface Layout {
  readonly segments: readonly Planned[]
  readonly inline: readonly string[]
}

export const sizeOf = (entries: readonly string[]): number =>
  entries.reduce((sum, entry) => sum + utf8Length(entry) + OVERHEAD, 0)

/** What remains of `head` without its first `drop` entries. */
export function dropped(head: StoredHead, drop: number): Layout {
  const segments: Planned[] = []
  let rest = drop + head.skip
  for (const ref of head.segments) {
    const skip = Math.min(rest, ref.count)
    rest -= skip
    if (skip < ref.count) {
      segments.push({ parts: [{ ref, skip }], bytes: ref.bytes, level: ref.level })
    }
  }
  return { segments, inline: rest > 0 ? head.entries.slice(rest) : head.entries }
}

/**
 * Makes room inline: where the entries there take more than `inlineBytes`, all but the newest go into
 * segments. Those are merged in levels, `fanOut` at a time, until they are full (more than half of
 * `maxSegmentBytes`); so there are fewer than `fanOut` of each level, and one or two for each full one.
 */
export function settled({ segments, inline }: Layout, limits: Limits): Layout {
  if (sizeOf(inline) <= limits.inlineBytes) return { segments, inline }
  let start = inline.length
  for (let room = limits.inlineBytes / 4; start > 0; start--) {
    room -= sizeOf(inline.slice(start - 1, start))
    if (room < 0) break
  }
  const all = [...segments]
  for (const piece of split(inline.slice(0, start), limits)) {
    // What stands before a full segment is never at the end of a run again: this is its last chance.
    if (isFull(piece, limits)) mergeRun(all, 2, Infinity, limits)
    all.push(piece)
    for (let level = 0; level <= levelAtEnd(all, limits); level++) {
      mergeRun(all, limits.fanOut, level, limits)
    }
  }
  return { segments: all, inline: inline.slice(start) }
}

const isFull = ({ bytes }: Planned, { maxSegmentBytes }: Limits) => bytes * 2 > maxSegmentBytes

/** Entries in as few pieces as the limit allows. An entry over it makes a piece of its own. */
function split(entries: readonly string[], limits: Limits): Planned[] {
  const pieces: Planned[] = []
  let start = 0
  let bytes = 0
  const close = (end: number) => {
    if (end === start) return
    const level = Math.log(bytes / limits.inlineBytes) / Math.log(limits.fanOut)
    pieces.push({
      parts: [{ entries: entries.slice(start, end) }],
      bytes,
      level: Math.max(0, Math.ceil(level)),
    })
    start = end
    bytes = 0
  }
  entries.forEach((entry, at) => {
    const size = sizeOf([entry])
    if (bytes + size > limits.maxSegmentBytes) close(at)
    bytes += size
  })
  close(entries.length)
  return pieces
}

/** Where the segments begin that are not full, up to `level`, and stand at the end. */
function runStart(segments: readonly Planned[], level: number, limits: Limits): number {
  let start = segments.length
  for (; start > 0; start--) {
    const segment = segments[start - 1]
    if (!segment || isFull(segment, limits) || segment.level > level) break
  }
  return start
}

const levelAtEnd = (segments: readonly Planned[], limits: Limits) =>
  Math.max(-1, ...segments.slice(runStart(segments, Infinity, limits)).map(({ level }) => level))

/** Merges the run at the end into as few segments as the limit allows, if it has at least `least`. */
function mergeRun(segments: Planned[], least: number, level: number, limits: Limits): void {
  const start = runStart(segments, level, limits)
  if (segments.length - start < least) return
  let group: Planned[] = []
  let bytes = 0
  const close = () => {
    const [only] = group
    if (only) segments.push(group.length > 1 ? merged(group, bytes) : only)
    group = []
    bytes = 0
  }
  for (const segment of segments.splice(start)) {
    if (bytes + segment.bytes > limits.maxSegmentBytes) close()
    group.push(segment)
    bytes += segment.bytes
  }
  close()
}

const merged = (group: readonly Planned[], bytes: number): Planned => ({
  parts: group.flatMap(({ parts }) => parts),
  bytes,
  level: Math.max(...group.map(({ level }) => level)) + 1,
})
