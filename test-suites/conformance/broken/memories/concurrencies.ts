import type { MemoryCompressor } from '@holdfast/core'
import { type AgentItem, InMemoryAgentMemory, type MemorySnapshot } from '@holdfast/core'
import type { OpenOptions, TestedMemory } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  type CallId,
  Forwarding,
  inProcess,
  OneDoor,
  stored,
  type ToolOutput,
  tick,
  type World,
} from './broken-memory.ts'

type Change = (current: MemorySnapshot) => MemorySnapshot

class ReadsThenWrites extends OneDoor {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const before = await this.inner.snapshot()
    await this.inner.restore({ ...before, items: [...before.items, ...items] })
  }
}

class RetriesBlindly extends OneDoor {
  static #open = 0
  protected async add(items: readonly AgentItem[]): Promise<void> {
    RetriesBlindly.#open += 1
    await this.inner.addOutputItems(items)
    // Takes the company of others for a conflict, and its own write for lost.
    if (RetriesBlindly.#open > 3) await this.inner.addOutputItems(items)
    RetriesBlindly.#open -= 1
  }
}

/** Two operations of one writer are open at once: the commit of one is taken for that of the other. */
class TakesAnotherForItsOwn extends OneDoor {
  readonly #shared: Map<string, unknown>
  readonly #key: string
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id, options)
    this.#shared = world.shared
    this.#key = `open ${id}`
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    if (this.#shared.get(this.#key)) return
    this.#shared.set(this.#key, true)
    await this.inner.addOutputItems(items)
    this.#shared.delete(this.#key)
  }
}

class ToolsReadThenWrite extends Forwarding {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (!callId) return super.addToolOutput(callId, output)
    const before = await this.inner.snapshot()
    const item = { type: 'function_call_output', call_id: callId, output }
    await this.inner.restore({ ...before, items: [...before.items, item] })
  }
}

class UpdateReadsThenWrites extends Forwarding {
  override async update(change: Change): Promise<MemorySnapshot> {
    const next = change(await this.inner.snapshot())
    await tick()
    await this.inner.restore(next)
    return this.inner.snapshot()
  }
}

class UpdatesOverlap extends InMemoryAgentMemory {
  override async update(change: Change): Promise<MemorySnapshot> {
    const current = await this.snapshot()
    await tick()
    return super.update(() => change(current))
  }
}

/** Compresses by reading and writing, without asking who else did. */
class CompressesBehind extends OneDoor {
  readonly #compressor: MemoryCompressor | undefined
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id)
    this.#compressor = options.compressor
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.addOutputItems(items)
    if (!this.#compressor) return
    const seen = await this.inner.snapshot()
    await tick()
    await this.inner.restore(await this.#compressor.compress(seen))
  }
}

class ItemByItem extends OneDoor {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    for (const item of items) await this.inner.addOutputItems([item])
  }
}

/** As a backend does that takes 50 rows in one request. */
class FiftyAtOnce extends OneDoor {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.addOutputItems(items.slice(0, 50))
    if (items.length > 50) await this.inner.addOutputItems(items.slice(50))
  }
}

/** Right in every single call; wrong in a summary that outlives four changes. */
class ForgetsTheSummary extends InMemoryAgentMemory {
  #changes = 0
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    await super.addToolOutput(callId, output)
    this.#changes += 1
    if (this.#changes % 5 === 0) await super.setSummary(undefined)
  }
}

const broken = (
  fault: string,
  rejectedBy: string,
  Broken: new (world: World, id: string, options: OpenOptions) => TestedMemory,
): BrokenMemory => stored(fault, rejectedBy, (world, id, options) => new Broken(world, id, options))

export const brokenConcurrencies: readonly BrokenMemory[] = [
  broken('adds read, then write', 'concurrent-adds-each-once', ReadsThenWrites),
  broken('adds are retried blindly', 'concurrent-adds-each-once', RetriesBlindly),
  broken(
    "an unsent add taken for another handle's",
    'concurrent-adds-each-once',
    TakesAnotherForItsOwn,
  ),
  broken('tool outputs read, then write', 'concurrent-tool-outputs-each-once', ToolsReadThenWrite),
  broken('update reads, then writes', 'concurrent-updates-count', UpdateReadsThenWrites),
  inProcess('updates overlap', 'concurrent-updates-on-one-instance', (options) => {
    return new UpdatesOverlap(options)
  }),
  broken('update loses adds of others', 'concurrent-updates-and-adds', UpdateReadsThenWrites),
  broken('windows overwrite each other', 'concurrent-windows', CompressesBehind),
  broken('folds overwrite each other', 'concurrent-folds', CompressesBehind),
  broken('half a batch is seen', 'concurrent-batches-are-seen-whole', ItemByItem),
  broken(
    'batches over 50 items are stored in two commits',
    'concurrent-long-batches-are-seen-whole',
    FiftyAtOnce,
  ),
  inProcess('the summary is lost now and then', 'random-calls', (options) => {
    return new ForgetsTheSummary(options)
  }),
]
