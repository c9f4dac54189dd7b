import type {
  AgentMemory,
  MemorySnapshot,
  Persistent,
  SnapshotCapable,
} from '../contracts/agent-memory.ts'
import { HoldfastError } from '../errors.ts'

/** A memory, with what it may add. */
export type Memory = AgentMemory & Partial<SnapshotCapable> & Partial<Persistent>

/** Items and summary of any memory, the injected summary taken out again. */
export async function snapshotOfMemory(memory: Memory): Promise<MemorySnapshot> {
  if (memory.snapshot) return memory.snapshot()
  const summary = (await memory.getSummary()) ?? undefined
  const items = await memory.getItems()
  return summary === undefined ? { items } : { items: items.slice(summary.trim() ? 1 : 0), summary }
}

export const isEmpty = ({ items, summary }: MemorySnapshot): boolean =>
  items.length === 0 && !summary

/** True for two snapshots that hold the same, as JSON. */
export const sameSnapshot = (one: MemorySnapshot, other: MemorySnapshot): boolean =>
  one.summary === other.summary && JSON.stringify(one.items) === JSON.stringify(other.items)

/** `memory.update`, or `UNSUPPORTED`. */
export function updateMemory(
  memory: Memory,
  change: (current: MemorySnapshot) => MemorySnapshot,
): Promise<MemorySnapshot> {
  if (memory.update) return memory.update(change)
  throw unsupported('update')
}

/** `memory.restore`, or `UNSUPPORTED`. */
export async function restoreMemory(memory: Memory, snapshot: MemorySnapshot): Promise<void> {
  if (!memory.restore) throw unsupported('restore')
  await memory.restore(snapshot)
}

const unsupported = (method: string) =>
  new HoldfastError(
    'UNSUPPORTED',
    `The memory has no ${method}; use one that implements SnapshotCapable.`,
    { outcome: 'not-committed' },
  )
