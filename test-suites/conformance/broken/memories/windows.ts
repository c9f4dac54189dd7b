import {
  type AgentItem,
  InMemoryAgentMemory,
  type MemorySnapshot,
  WindowedMemoryCompressor,
} from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  Forwarding,
  inProcess,
  OneDoorInProcess,
  stored,
} from './broken-memory.ts'

type Cut = (snapshot: MemorySnapshot, size: number) => MemorySnapshot

const replaced = (cut: Cut, { compressor }: OpenOptions): OpenOptions =>
  compressor instanceof WindowedMemoryCompressor
    ? { compressor: { compress: (snapshot) => cut(snapshot, compressor.maxItems) } }
    : compressor
      ? { compressor }
      : {}

/** Carries a window out in a way of its own. */
const cutting = (fault: string, rejectedBy: string, cut: Cut): BrokenMemory =>
  inProcess(fault, rejectedBy, (options) => new InMemoryAgentMemory(replaced(cut, options)))

/** Cuts only between adds. */
class CutsBetweenBatches extends OneDoorInProcess {
  readonly #size: number | undefined
  #batches: number[] = []
  constructor({ compressor }: OpenOptions) {
    const window = compressor instanceof WindowedMemoryCompressor ? compressor : undefined
    super(window || !compressor ? {} : { compressor })
    this.#size = window?.maxItems
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.store(items)
    if (this.#size === undefined) return
    this.#batches.push(items.length)
    const count = () => this.#batches.reduce((sum, each) => sum + each, 0)
    while (this.#batches.length > 1 && count() > this.#size) this.#batches.shift()
    await this.update((current) => ({ ...current, items: current.items.slice(-count()) }))
  }
}

const withoutOrphans: Cut = (snapshot, size) => {
  const items = snapshot.items.slice(-size)
  const calls = new Set(items.map((item) => item.type === 'function_call' && item['call_id']))
  const kept = items.filter(
    (item) => item.type !== 'function_call_output' || calls.has(item['call_id'] as string),
  )
  return { ...snapshot, items: kept.length > 0 ? kept : items }
}

const withoutRepeats: Cut = (snapshot, size) => {
  const distinct = new Map(snapshot.items.map((item) => [JSON.stringify(item), item]))
  return { ...snapshot, items: [...distinct.values()].slice(-size) }
}

/** A reader that asks for what is behind the items that it has. */
class ReadsOnlyWhatIsNew extends Forwarding {
  #known: AgentItem[] = []
  override async getItems(): Promise<AgentItem[]> {
    const { items } = await this.inner.snapshot()
    if (items.length < this.#known.length) this.#known = []
    this.#known = [...this.#known, ...items.slice(this.#known.length)]
    const shown = await this.inner.getItems()
    return [...shown.slice(0, shown.length - items.length), ...structuredClone(this.#known)]
  }
}

const exactly = 'window-exactly-the-last'

export const brokenWindows: readonly BrokenMemory[] = [
  cutting('a window keeps the first n', exactly, (snapshot, size) => ({
    ...snapshot,
    items: snapshot.items.slice(0, size),
  })),
  cutting('a window keeps n − 1', exactly, (snapshot, size) => ({
    ...snapshot,
    items: size === 1 ? [] : snapshot.items.slice(1 - size),
  })),
  cutting('a window keeps n + 1', exactly, (snapshot, size) => ({
    ...snapshot,
    items: snapshot.items.slice(-size - 1),
  })),
  inProcess('a window never cuts through a batch', 'window-cuts-through-batches', (options) => {
    return new CutsBetweenBatches(options)
  }),
  cutting('a window drops the summary', 'window-keeps-the-summary', ({ items }, size) => ({
    items: items.slice(-size),
  })),
  cutting(
    'a prefix cut drops the stored summary with it',
    'window-keeps-the-summary',
    ({ items, summary }, size) =>
      items.length > size ? { items: items.slice(-size) } : { items, summary },
  ),
  cutting('a window repairs pairs', 'window-touches-nothing-else', withoutOrphans),
  cutting('a window counts equal items once', 'window-counts-equal-items', withoutRepeats),
  stored(
    'a reader appends to what it had before the cut',
    'window-read-by-another-process',
    (world, id, options) => new ReadsOnlyWhatIsNew(world, id, options),
  ),
]
