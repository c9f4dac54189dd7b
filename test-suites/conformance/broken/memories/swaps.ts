import { InMemoryAgentMemory, type MemoryCompressor, type MemorySnapshot } from '@holdfast/core'
import type { OpenOptions, TestedMemory } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  Forwarding,
  inProcess,
  stored,
  tick,
  type UserInput,
  type World,
} from './broken-memory.ts'
import { cutByCount, overwrite } from './wrong-installs.ts'

type Compressor = MemoryCompressor | undefined

class RewritesAtOnce extends InMemoryAgentMemory {
  override async setCompressor(compressor: Compressor): Promise<void> {
    await super.setCompressor(compressor)
    if (compressor) await this.restore(await compressor.compress(await this.snapshot()))
  }
}

/** Swaps only the reference: the first call of the new compressor is answered with what it was shown. */
class OnlySwaps extends Forwarding {
  override async setCompressor(compressor: Compressor): Promise<void> {
    if (!compressor) return super.setCompressor(compressor)
    let first = true
    await super.setCompressor({
      compress(snapshot) {
        if (!first) return compressor.compress(snapshot)
        first = false
        return snapshot
      },
    })
  }
}

class SwapsWithoutSummary extends Forwarding {
  override async setCompressor(compressor: Compressor): Promise<void> {
    let first = true
    await super.setCompressor(
      compressor && {
        compress(snapshot) {
          const shown = first ? { items: snapshot.items } : snapshot
          first = false
          return compressor.compress(shown)
        },
      },
    )
  }
}

class KeepsTheFailed extends Forwarding {
  override async setCompressor(compressor: Compressor): Promise<void> {
    try {
      await super.setCompressor(compressor)
    } catch (error) {
      await super.setCompressor(undefined)
      throw error
    }
  }
}

/** Rewrites by hand, and installs over whatever is there. */
abstract class ByHand extends Forwarding {
  protected abstract install(seen: MemorySnapshot, result: MemorySnapshot): Promise<unknown>
  override async setCompressor(compressor: Compressor): Promise<void> {
    if (!compressor) return super.setCompressor(compressor)
    const seen = await this.inner.snapshot()
    const result = await compressor.compress(structuredClone(seen))
    await this.install(seen, result)
  }
}

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

class IgnoresNone extends InMemoryAgentMemory {
  override async setCompressor(compressor: Compressor): Promise<void> {
    if (compressor !== undefined) await super.setCompressor(compressor)
  }
}

class SwapOvertakes extends InMemoryAgentMemory {
  override async addUserInput(input: UserInput): Promise<void> {
    await tick()
    await super.addUserInput(input)
  }
}

/** A swap reaches every handle of the process on the id. */
class SwapsForAll extends Forwarding {
  readonly #handles: Set<SwapsForAll>
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id, options)
    const key = `handles of ${id}`
    const handles = (world.shared.get(key) as Set<SwapsForAll> | undefined) ?? new Set()
    world.shared.set(key, handles.add(this))
    this.#handles = handles
  }
  override async setCompressor(compressor: Compressor): Promise<void> {
    for (const handle of this.#handles) await handle.inner.setCompressor(compressor)
  }
}

class TakesGarbage extends InMemoryAgentMemory {
  override async setCompressor(compressor: Compressor): Promise<void> {
    const good = typeof compressor?.compress === 'function' ? compressor : undefined
    await super.setCompressor(good)
  }
}

const broken = (
  fault: string,
  rejectedBy: string,
  Broken: new (world: World, id: string, options: OpenOptions) => TestedMemory,
): BrokenMemory => stored(fault, rejectedBy, (world, id, options) => new Broken(world, id, options))

export const brokenSwaps: readonly BrokenMemory[] = [
  inProcess('a lazy swap rewrites the state', 'swap-lazy-acts-at-the-next-add', (options) => {
    return new RewritesAtOnce(options)
  }),
  broken('an eager swap rewrites nothing', 'swap-eager-rewrites-at-once', OnlySwaps),
  broken('a swap shows no summary', 'swap-eager-sees-the-whole-state', SwapsWithoutSummary),
  broken(
    'a failed swap loses the old compressor',
    'swap-eager-failure-changes-nothing',
    KeepsTheFailed,
  ),
  broken('a swap overwrites a later summary', 'swap-eager-lost-races', CountsOnly),
  broken('a swap overwrites later items', 'swap-eager-keeps-later-items', Overwrites),
  broken('a swap undoes a deletion', 'swap-eager-deletion-stays', Overwrites),
  inProcess('a compressor cannot be removed', 'swap-to-none', (options) => {
    return new IgnoresNone(options)
  }),
  inProcess('a swap overtakes an add', 'swap-in-call-order', (options) => {
    return new SwapOvertakes(options)
  }),
  broken('a swap reaches every handle', 'swap-belongs-to-its-handle', SwapsForAll),
  inProcess('a swap takes garbage for none', 'swap-refuses-garbage', (options) => {
    return new TakesGarbage(options)
  }),
]
