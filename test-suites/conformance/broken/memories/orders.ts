import {
  type AgentItem,
  InMemoryAgentMemory,
  type MemoryCompressor,
  type MemorySnapshot,
} from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type CallId,
  inProcess,
  itemsOf,
  OneDoorInProcess,
  type Output,
  type ToolOutput,
  tick,
  type UserInput,
} from './broken-memory.ts'

class SortsPositionsAsText extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    const numbered = (await super.getItems()).map((item, index) => [String(index), item] as const)
    return numbered.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
  }
}

class SortsByClock extends OneDoorInProcess {
  readonly #rows: { at: number; tie: number; item: AgentItem }[] = []
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.store(items)
    for (const item of items) this.#rows.push({ at: Date.now(), tie: Math.random(), item })
  }
  override async getItems(): Promise<AgentItem[]> {
    const sorted = [...this.#rows].sort((a, b) => a.at - b.at || a.tie - b.tie)
    return sorted.length === 0 ? super.getItems() : structuredClone(sorted.map(({ item }) => item))
  }
}

class SlowTools extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    await tick()
    await super.addToolOutput(callId, output)
  }
}

class LateReads extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    await tick()
    return super.getItems()
  }
}

class LateRestores extends InMemoryAgentMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    await tick()
    await super.restore(snapshot)
  }
}

class ChainBreaks extends InMemoryAgentMemory {
  #queue: Promise<unknown> = Promise.resolve()
  #enqueue(run: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(run)
    this.#queue = turn
    return turn
  }
  override addUserInput(input: UserInput): Promise<void> {
    return this.#enqueue(() => super.addUserInput(input))
  }
  override addOutputItems(items: Output): Promise<void> {
    return this.#enqueue(() => super.addOutputItems(items))
  }
  override addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    return this.#enqueue(() => super.addToolOutput(callId, output))
  }
}

class ReadsThenWrites extends OneDoorInProcess {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const before = await this.snapshot()
    await tick()
    await this.restore({ ...before, items: [...before.items, ...items] })
  }
}

class CompressesWhatItRead extends InMemoryAgentMemory {
  readonly #behind: MemoryCompressor | undefined
  constructor({ compressor }: OpenOptions) {
    super()
    this.#behind = compressor
  }
  override async addUserInput(input: UserInput): Promise<void> {
    const { items, summary } = await this.snapshot()
    const seen = { items: [...items, ...itemsOf(input)], summary }
    await this.restore((await this.#behind?.compress(seen)) ?? seen)
  }
}

class DropsRepeats extends OneDoorInProcess {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const known = new Set((await this.getItems()).map((item) => JSON.stringify(item)))
    await this.store(items.filter((item) => !known.has(JSON.stringify(item))))
  }
}

export const brokenOrders = [
  inProcess('positions sorted as text', 'order-past-every-power-of-ten', (options) => {
    return new SortsPositionsAsText(options)
  }),
  inProcess('order taken from a clock', 'order-within-a-millisecond', (options) => {
    return new SortsByClock(options)
  }),
  inProcess('calls overtake each other', 'order-unawaited-adds', (options) => {
    return new SlowTools(options)
  }),
  inProcess('reads are overtaken by writes', 'order-unawaited-reads', (options) => {
    return new LateReads(options)
  }),
  inProcess('restore is overtaken', 'order-unawaited-changes', (options) => {
    return new LateRestores(options)
  }),
  inProcess('a refused call fails those behind it', 'order-after-a-refused-call', (options) => {
    return new ChainBreaks(options)
  }),
  inProcess('parallel tool outputs lose one', 'order-parallel-tool-outputs', (options) => {
    return new ReadsThenWrites(options)
  }),
  inProcess('parallel compressions lose items', 'order-parallel-adds-compressed', (options) => {
    return new CompressesWhatItRead(options)
  }),
  inProcess('equal items stored once', 'order-equal-items-kept', (options) => {
    return new DropsRepeats(options)
  }),
]
