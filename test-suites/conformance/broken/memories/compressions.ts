import {
  type AgentItem,
  InMemoryAgentMemory,
  type MemoryCompressor,
  type MemorySnapshot,
} from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  Forwarding,
  inProcess,
  LocalMemory,
  OneDoor,
  OneDoorInProcess,
  stored,
  systemMessage,
  type UserInput,
  type World,
} from './broken-memory.ts'
import { whenAnswered, withCompressor } from './with-compressor.ts'

class ItemByItem extends OneDoorInProcess {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    for (const item of items) await this.store([item])
  }
}

class CompressesLater extends LocalMemory {
  override async addUserInput(input: UserInput): Promise<void> {
    const { compressor } = this
    this.compressor = undefined
    await super.addUserInput(input)
    this.compressor = compressor
    if (compressor) setTimeout(async () => compressor.compress(await this.snapshot()), 0)
  }
}

/** A compressor that answers a promise is started and not awaited. */
class ForgetsPromises extends InMemoryAgentMemory {
  constructor({ compressor }: OpenOptions) {
    super(
      compressor && {
        compressor: {
          compress: (snapshot) => {
            const answer = compressor.compress(structuredClone(snapshot))
            if (!(answer instanceof Promise)) return answer
            answer.catch(() => {})
            return snapshot
          },
        },
      },
    )
  }
}

class CompressesOnClear extends LocalMemory {
  override async clear(): Promise<void> {
    await super.clear()
    await this.compressor?.compress(await this.snapshot())
  }
}

class CompressesOnRestore extends LocalMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    await super.restore(snapshot)
    const { compressor } = this
    if (compressor) await super.restore(await compressor.compress(await this.snapshot()))
  }
}

class CompressesOnRead extends Forwarding {
  readonly #compressor: MemoryCompressor | undefined
  #opened = false
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id, options)
    this.#compressor = options.compressor
  }
  override async getItems(): Promise<AgentItem[]> {
    if (!this.#opened && this.#compressor) await super.setCompressor(this.#compressor)
    this.#opened = true
    return super.getItems()
  }
}

/** The compressor that any handle was opened with acts for all handles on the id. */
class OnePerId extends OneDoor {
  readonly #shared: Map<string, unknown>
  readonly #id: string
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id)
    this.#shared = world.shared
    this.#id = id
    if (options.compressor) this.#shared.set(id, options.compressor)
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const compressor = this.#shared.get(this.#id) as MemoryCompressor | undefined
    await this.inner.update((current) => {
      const next = { ...current, items: [...current.items, ...items] }
      return compressor ? (compressor.compress(next) as MemorySnapshot) : next
    })
  }
}

/** Carries an answer out as a cut of its own objects, which the compressor has had in its hands. */
class CutsWhatItLent extends OneDoorInProcess {
  #items: AgentItem[] = []
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const lent = [...this.#items, ...structuredClone([...items])]
    const answer = await this.compressor?.compress({ items: [...lent] })
    this.#items = answer ? lent.slice(lent.length - answer.items.length) : lent
  }
  override async getItems(): Promise<AgentItem[]> {
    return structuredClone(this.#items)
  }
}

/** Stores whatever object the compressor worked on, and no copy of it. */
class SharesWithTheCompressor extends OneDoorInProcess {
  #live: MemorySnapshot | undefined
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const { compressor } = this
    if (!compressor) return this.store(items)
    const before = this.#live ?? { items: [] }
    this.#live = await compressor.compress({ ...before, items: [...before.items, ...items] })
  }
  override async getItems(): Promise<AgentItem[]> {
    if (!this.#live) return super.getItems()
    const { items, summary } = structuredClone(this.#live)
    return summary ? [systemMessage(summary), ...items] : [...items]
  }
}

class CompressesAtOnce extends OneDoorInProcess {
  readonly #behind: MemoryCompressor | undefined
  constructor({ compressor }: OpenOptions) {
    super()
    this.#behind = compressor
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const compressor = this.#behind
    await this.store(items)
    if (!compressor) return
    const seen = await this.snapshot()
    const result = await compressor.compress(seen)
    await this.update((current) => ({
      ...result,
      items: [...result.items, ...current.items.slice(seen.items.length)],
    }))
  }
}

const wholeState = 'compressor-sees-the-whole-state'

export const brokenCompressions: readonly BrokenMemory[] = [
  withCompressor(
    'compressor sees a single item',
    wholeState,
    (compressor) =>
      ({ items, ...rest }) => {
        const last = { ...rest, items: items.slice(-1) }
        return whenAnswered(compressor.compress(last), (answer) => ({
          ...answer,
          items: [...items.slice(0, -1), ...answer.items],
        }))
      },
  ),
  withCompressor(
    'compressor sees what was there before the add',
    wholeState,
    (compressor) => (snapshot) => {
      compressor.compress({ ...snapshot, items: snapshot.items.slice(0, -1) })
      return snapshot
    },
  ),
  withCompressor(
    'compressor sees the injected summary',
    'compressor-sees-the-summary-as-summary',
    (compressor) => (snapshot) => {
      const { items, summary } = snapshot
      const shown = summary?.trim() ? [systemMessage(summary), ...items] : items
      return whenAnswered(compressor.compress({ items: shown, summary }), (answer) => ({
        ...answer,
        items: answer.items.slice(shown.length - items.length),
      }))
    },
  ),
  inProcess('a batch added item by item', 'compressor-sees-batches-whole', (options) => {
    return new ItemByItem(options)
  }),
  inProcess('compressor runs after the add resolved', 'compressor-runs-on-every-add', (options) => {
    return new CompressesLater(options)
  }),
  inProcess(
    'the promise of a compressor is not awaited',
    'compressor-result-is-stored-when-the-add-resolves',
    (options) => new ForgetsPromises(options),
  ),
  withCompressor(
    'only items that are already there taken from the compressor',
    'compressor-may-rewrite-everything',
    (compressor) => (snapshot) => {
      const known = new Set(snapshot.items.map((item) => JSON.stringify(item)))
      return whenAnswered(compressor.compress(snapshot), (answer) => ({
        ...answer,
        items: answer.items.filter((item) => known.has(JSON.stringify(item))),
      }))
    },
  ),
  withCompressor(
    'compress torn from its object',
    'compressor-keeps-its-this',
    ({ compress }) => compress,
  ),
  inProcess('clear runs the compressor', 'compressor-not-run-by-reads-and-clear', (options) => {
    return new CompressesOnClear(options)
  }),
  inProcess(
    'restore runs the compressor',
    'compressor-not-run-by-restore-update-and-summary',
    (options) => new CompressesOnRestore(options),
  ),
  stored(
    'the first read runs the compressor',
    'compressor-not-run-by-opening-and-adopt',
    (world, id, options) => new CompressesOnRead(world, id, options),
  ),
  stored(
    'one compressor per id',
    'compressor-belongs-to-its-handle',
    (world, id, options) => new OnePerId(world, id, options),
  ),
  inProcess('compressor works on the state itself', 'compressor-mutates-its-copy', (options) => {
    return new CutsWhatItLent(options)
  }),
  inProcess("compressor's answer kept by reference", 'compressor-answer-is-copied', (options) => {
    return new SharesWithTheCompressor(options)
  }),
  inProcess('compressions run side by side', 'compressor-one-at-a-time', (options) => {
    return new CompressesAtOnce(options)
  }),
]
