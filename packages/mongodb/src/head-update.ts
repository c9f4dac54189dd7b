import type { SegmentRef, StoredHead } from '@holdfast/core/segments'
import { type HeadToken, LAYOUT } from './documents.ts'

/**
 * The update that makes `next` of what `before` says is stored; the guard in its filter makes sure that it
 * is. Entries that are there already are not sent again, so that an append costs what it adds.
 */
export function headUpdate(
  before: HeadToken,
  next: StoredHead,
  expiresAt: Date | undefined,
): object {
  const { revision, guard, head, segments, skip, entries } = next
  const change = changeOf(before.entries, entries)
  // Collecting garbage is no sign of life: it does not make a session live longer.
  const touched = revision !== before.revision
  return {
    $set: {
      v: LAYOUT,
      revision,
      guard,
      head,
      skip,
      ...(!sameSegments(before.segments, segments) && { segments }),
      ...(!change && { entries }),
      ...(touched && expiresAt && { expiresAt }),
    },
    ...(change && pushed(change, entries.length)),
    ...(touched && !expiresAt && { $unset: { expiresAt: '' } }),
  }
}

interface Change {
  /** How many entries go at the front. */
  readonly drop: number
  /** What comes behind the rest. */
  readonly added: readonly string[]
}

/** How `next` comes of `before`; undefined where they have nothing in common. */
function changeOf(before: readonly string[], next: readonly string[]): Change | undefined {
  for (let drop = Math.max(0, before.length - next.length); drop < before.length; drop++) {
    if (before[drop] !== next[0]) continue
    const continued = before.every((entry, at) => at < drop || entry === next[at - drop])
    if (continued) return { drop, added: next.slice(before.length - drop) }
  }
  return undefined
}

function pushed({ drop, added }: Change, length: number): object {
  if (drop === 0 && added.length === 0) return {}
  return { $push: { entries: { $each: added, ...(drop > 0 && { $slice: -length }) } } }
}

const sameSegments = (before: readonly SegmentRef[], next: readonly SegmentRef[]): boolean =>
  before.length === next.length &&
  before.every(({ name, level }, at) => name === next[at]?.name && level === next[at]?.level)
