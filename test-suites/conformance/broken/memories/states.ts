import { type AgentItem, InMemoryAgentMemory, type MemorySnapshot } from '@holdfast/core'
import { Forwarding, inProcess, stored } from './broken-memory.ts'

type Change = (current: MemorySnapshot) => MemorySnapshot

class ClearKeepsSummary extends InMemoryAgentMemory {
  override async clear(): Promise<void> {
    await this.update(({ summary }) => ({ items: [], summary }))
  }
}

class ClearKeepsFirst extends InMemoryAgentMemory {
  override async clear(): Promise<void> {
    await this.update(({ items }) => ({ items: items.slice(0, 1) }))
  }
}

class RestoreAppends extends InMemoryAgentMemory {
  override async restore({ items, summary }: MemorySnapshot): Promise<void> {
    await this.update((current) => ({ items: [...current.items, ...items], summary }))
  }
}

class RestoreKeepsSummary extends InMemoryAgentMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    const { summary } = await this.snapshot()
    await super.restore('summary' in snapshot ? snapshot : { ...snapshot, summary })
  }
}

class UpdateShowsInjected extends InMemoryAgentMemory {
  override async update(change: Change): Promise<MemorySnapshot> {
    const items = await this.getItems()
    return super.update(({ summary }) => change({ items, summary }))
  }
}

class UpdateAnswersTheOld extends InMemoryAgentMemory {
  override async update(change: Change): Promise<MemorySnapshot> {
    const before = await this.snapshot()
    await super.update(change)
    return before
  }
}

class UpdateEmptiesWhatItGotBack extends InMemoryAgentMemory {
  override async update(change: Change): Promise<MemorySnapshot> {
    return super.update((current) => {
      const answer = change(current)
      // Fills the array that it handed out, without asking whether it got the same one back.
      const items = current.items as AgentItem[]
      items.length = 0
      items.push(...answer.items)
      return { ...answer, items }
    })
  }
}

class StartsWithGreeting extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    const items = await super.getItems()
    return items.length > 0 ? items : [{ type: 'message', role: 'system', content: [] }]
  }
}

/** Restores share one state between the memories that took part. */
class SharesRestored extends InMemoryAgentMemory {
  static readonly #owners = new WeakMap<object, InMemoryAgentMemory>()
  #twin: InMemoryAgentMemory | undefined
  override async snapshot(): Promise<MemorySnapshot> {
    const snapshot = await super.snapshot()
    SharesRestored.#owners.set(snapshot, this)
    return snapshot
  }
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    this.#twin = SharesRestored.#owners.get(snapshot)
    await super.restore(snapshot)
  }
  override async addUserInput(input: Parameters<InMemoryAgentMemory['addUserInput']>[0]) {
    await super.addUserInput(input)
    if (this.#twin !== this) await this.#twin?.addUserInput(input)
  }
}

/** Works on what it read last. */
class Stale extends Forwarding {
  #seen: MemorySnapshot | undefined
  override async snapshot(): Promise<MemorySnapshot> {
    this.#seen = await super.snapshot()
    return this.#seen
  }
  override async update(change: Change): Promise<MemorySnapshot> {
    const next = change(this.#seen ?? (await this.snapshot()))
    await super.restore(next)
    return this.snapshot()
  }
}

class StaleSummary extends Forwarding {
  #items: readonly AgentItem[] = []
  override async addUserInput(input: Parameters<Forwarding['addUserInput']>[0]): Promise<void> {
    await super.addUserInput(input)
    this.#items = (await super.snapshot()).items
  }
  override async setSummary(summary: string | undefined): Promise<void> {
    await super.update(() => ({ items: this.#items, summary }))
  }
}

export const brokenStates = [
  inProcess('clear leaves the summary', 'clear-removes-the-summary', (options) => {
    return new ClearKeepsSummary(options)
  }),
  inProcess('clear leaves the first item', 'clear-removes-items', (options) => {
    return new ClearKeepsFirst(options)
  }),
  inProcess('restore appends', 'restore-overwrites', (options) => new RestoreAppends(options)),
  inProcess('restore keeps the old summary', 'restore-without-a-summary-key', (options) => {
    return new RestoreKeepsSummary(options)
  }),
  inProcess('update sees the injected summary', 'update-sees-and-stores', (options) => {
    return new UpdateShowsInjected(options)
  }),
  inProcess('update answers the old state', 'update-sees-and-stores', (options) => {
    return new UpdateAnswersTheOld(options)
  }),
  inProcess('an update to the same empties', 'update-that-changes-nothing', (options) => {
    return new UpdateEmptiesWhatItGotBack(options)
  }),
  inProcess('a new memory is not empty', 'new-is-empty', (options) => {
    return new StartsWithGreeting(options)
  }),
  inProcess('a restored snapshot is shared', 'restore-into-another-memory', (options) => {
    return new SharesRestored(options)
  }),
  stored(
    'update works on what was read last: a slow compaction over items added since',
    'update-sees-the-latest',
    (world, id, options) => new Stale(world, id, options),
  ),
  stored(
    'setSummary writes cached items back',
    'summary-keeps-the-items-of-others',
    (world, id, options) => new StaleSummary(world, id, options),
  ),
]
