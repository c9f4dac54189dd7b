import type { AgentItem, MemoryCompressor, MemorySnapshot } from '@holdfast/core'
import type { OpenOptions, TestedMemory } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  inProcess,
  OneDoor,
  OneDoorInProcess,
  stored,
  type World,
} from './broken-memory.ts'
import { cutByCount, overwrite } from './wrong-installs.ts'

/** Compresses by hand behind the add, and installs the result in a way of its own. */
abstract class ByHand extends OneDoor {
  #compressor: MemoryCompressor | undefined
  #queue: Promise<unknown> = Promise.resolve()

  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id)
    this.#compressor = options.compressor
  }
  protected abstract install(seen: MemorySnapshot, result: MemorySnapshot): Promise<unknown>

  override async setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    await this.inner.setCompressor(compressor)
    await this.inner.setCompressor(undefined)
    this.#compressor = compressor
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const added = this.inner.addOutputItems(items)
    const turn = this.#queue.then(async () => {
      await added
      await this.compress()
    })
    this.#queue = turn.catch(() => {})
    await turn
  }
  protected async compress(): Promise<unknown> {
    if (!this.#compressor) return
    const seen = await this.inner.snapshot()
    return this.install(seen, await this.#compressor.compress(structuredClone(seen)))
  }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

const unchanged = (current: MemorySnapshot, seen: MemorySnapshot) =>
  current.summary === seen.summary && same(current.items.slice(0, seen.items.length), seen.items)

class Overwrites extends ByHand {
  protected install(_seen: MemorySnapshot, result: MemorySnapshot) {
    return overwrite(this.inner, result)
  }
}

class CountsOnly extends ByHand {
  protected install(seen: MemorySnapshot, result: MemorySnapshot) {
    return cutByCount(this.inner, seen, result)
  }
}

/** Asks for the items only. */
class IgnoresSummary extends ByHand {
  protected install(seen: MemorySnapshot, result: MemorySnapshot) {
    return this.inner.update((current) =>
      unchanged({ ...current, summary: seen.summary }, seen)
        ? { ...result, items: [...result.items, ...current.items.slice(seen.items.length)] }
        : current,
    )
  }
}

/** Writes back what it has, where the memory it compressed is gone. */
class WritesBackWhatIsGone extends ByHand {
  protected install(seen: MemorySnapshot, result: MemorySnapshot) {
    return this.inner.update((current) =>
      current.items.length === 0
        ? result
        : unchanged(current, seen)
          ? { ...result, items: [...result.items, ...current.items.slice(seen.items.length)] }
          : current,
    )
  }
}

/** Removes what it saw by value. */
class RemovesByValue extends ByHand {
  protected install(seen: MemorySnapshot, result: MemorySnapshot) {
    const gone = new Set(seen.items.map((item) => JSON.stringify(item)))
    return this.inner.update((current) => ({
      ...result,
      items: [...result.items, ...current.items.filter((item) => !gone.has(JSON.stringify(item)))],
    }))
  }
}

/** Tries until nobody is faster. */
class NeverGivesUp extends ByHand {
  protected async install(seen: MemorySnapshot, result: MemorySnapshot): Promise<unknown> {
    let done = false
    await this.inner.update((current) => {
      done = unchanged(current, seen)
      return done
        ? { ...result, items: [...result.items, ...current.items.slice(seen.items.length)] }
        : current
    })
    return done ? undefined : this.compress()
  }
}

class CompressesBeforeItStores extends OneDoor {
  readonly #compressor: MemoryCompressor | undefined
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id)
    this.#compressor = options.compressor
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    if (!this.#compressor) return this.inner.addOutputItems(items)
    const before = await this.inner.snapshot()
    const next = { ...before, items: [...before.items, ...items] }
    await this.inner.restore(await this.#compressor.compress(next))
  }
}

/** Shows the compressor the one object that every handle adds to. */
class LiveForTheCompressor extends OneDoor {
  readonly #compressor: MemoryCompressor | undefined
  readonly #live: AgentItem[]
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id)
    this.#compressor = options.compressor
    this.#live = (world.shared.get(id) as AgentItem[] | undefined) ?? []
    world.shared.set(id, this.#live)
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.addOutputItems(items)
    this.#live.push(...items)
    await this.#compressor?.compress({ items: this.#live })
  }
}

/** While a compression runs, an add is shown and then overwritten by the result. */
class LosesWhatWaits extends OneDoorInProcess {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const { compressor } = this
    if (!compressor) return this.store(items)
    const before = await this.snapshot()
    const next = { ...before, items: [...before.items, ...items] }
    await super.restore(next)
    await super.restore(await compressor.compress(next))
  }
}

/** As above, for the calls that are no adds. */
class UndoesClears extends OneDoorInProcess {
  #queue: Promise<unknown> = Promise.resolve()
  protected add(items: readonly AgentItem[]): Promise<void> {
    const turn = this.#queue.then(async () => {
      const { compressor } = this
      if (!compressor) return this.store(items)
      await super.update((current) => ({ ...current, items: [...current.items, ...items] }))
      await super.restore(await compressor.compress(await this.snapshot()))
    })
    this.#queue = turn.catch(() => {})
    return turn
  }
}

const broken = (
  fault: string,
  rejectedBy: string,
  Broken: new (world: World, id: string, options: OpenOptions) => TestedMemory,
): BrokenMemory => stored(fault, rejectedBy, (world, id, options) => new Broken(world, id, options))

export const brokenSlowCompressions: readonly BrokenMemory[] = [
  broken(
    'an add is stored when its compressor has answered',
    'slow-compressor-add-is-stored-first',
    CompressesBeforeItStores,
  ),
  broken('a slow result overwrites later items', 'slow-compressor-keeps-later-items', Overwrites),
  inProcess(
    'a slow result overwrites waiting adds',
    'slow-compressor-keeps-waiting-adds',
    (options) => new LosesWhatWaits(options),
  ),
  inProcess('a slow result undoes a clear', 'slow-compressor-clear-stays', (options) => {
    return new UndoesClears(options)
  }),
  broken(
    'a slow result is put before what came after a clear',
    'slow-compressor-clear-and-add',
    CountsOnly,
  ),
  broken(
    'a slow result overwrites a later summary',
    'slow-compressor-later-summary-wins',
    IgnoresSummary,
  ),
  broken(
    'a slow result overwrites a restored state',
    'slow-compressor-later-state-wins',
    CountsOnly,
  ),
  broken('a slow result undoes a deletion', 'slow-compressor-delete-stays', WritesBackWhatIsGone),
  broken('a slow result gets into the next life', 'slow-compressor-recreation-stays', CountsOnly),
  broken('a compression that never gives up', 'slow-compressor-gives-up', NeverGivesUp),
  broken(
    'a slow result removes equal items that came later',
    'slow-compressor-equal-items',
    RemovesByValue,
  ),
  broken('a slow compressor sees a live state', 'slow-compressor-detached', LiveForTheCompressor),
]
