import type { MemoryCompressor, MemorySnapshot } from '@holdfast/core'
import { textsOf } from './expect.ts'

/** A promise that a case settles when it wants to. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function gate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

const copy = (snapshot: MemorySnapshot): MemorySnapshot => structuredClone(snapshot)

/** Keeps a copy of each state it was shown, then answers like `inner` (by default: unchanged). */
export function recording(
  inner: (snapshot: MemorySnapshot) => MemorySnapshot | Promise<MemorySnapshot> = (same) => same,
): MemoryCompressor & { readonly seen: MemorySnapshot[] } {
  const seen: MemorySnapshot[] = []
  return {
    seen,
    compress(snapshot) {
      seen.push(copy(snapshot))
      return inner(snapshot)
    },
  }
}

/**
 * Moves the text of every item into the summary, each followed by a bar: an item that is lost or
 * counted twice shows in the summary.
 */
export const fold = ({ items, summary = '' }: MemorySnapshot): MemorySnapshot => {
  const text =
    summary +
    textsOf(items)
      .map((each) => `${each}|`)
      .join('')
  return text === '' ? { items: [] } : { items: [], summary: text }
}

/** Keeps the last `count` items. Written apart from core's own, to compare with it. */
export const lastItems =
  (count: number) =>
  (snapshot: MemorySnapshot): MemorySnapshot => ({
    ...snapshot,
    items: snapshot.items.slice(Math.max(0, snapshot.items.length - count)),
  })

/**
 * Answers like `inner`, but waits at a gate: `entered` resolves when the first call has begun, `open`
 * lets every call go on.
 */
export function gated(inner: (snapshot: MemorySnapshot) => MemorySnapshot) {
  const started = gate()
  const release = gate()
  return {
    entered: started.opened,
    open: release.open,
    async compress(snapshot: MemorySnapshot): Promise<MemorySnapshot> {
      started.open()
      await release.opened
      return inner(snapshot)
    },
  }
}
