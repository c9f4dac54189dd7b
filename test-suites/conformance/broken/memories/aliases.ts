import { type AgentItem, InMemoryAgentMemory, type MemorySnapshot } from '@holdfast/core'
import {
  Forwarding,
  inProcess,
  type Output,
  stored,
  systemMessage,
  type UserInput,
} from './broken-memory.ts'

class CopiesLate extends InMemoryAgentMemory {
  override async addOutputItems(items: Output): Promise<void> {
    await Promise.resolve()
    await super.addOutputItems(items)
  }
  override async addUserInput(input: UserInput): Promise<void> {
    await Promise.resolve()
    await super.addUserInput(input)
  }
}

class HandsOutItsCache extends InMemoryAgentMemory {
  #cache: AgentItem[] | undefined
  override async getItems(): Promise<AgentItem[]> {
    const items = await super.getItems()
    if (items.length !== this.#cache?.length) this.#cache = items
    return this.#cache
  }
}

class OneInjectedMessage extends InMemoryAgentMemory {
  readonly #messages = new Map<string, AgentItem>()
  override async getItems(): Promise<AgentItem[]> {
    const items = await super.getItems()
    const { summary } = await this.snapshot()
    if (!summary?.trim()) return items
    const message = this.#messages.get(summary) ?? systemMessage(summary)
    this.#messages.set(summary, message)
    return [message, ...items.slice(1)]
  }
}

class LiveSnapshots extends InMemoryAgentMemory {
  #live: { items: AgentItem[]; summary?: string | undefined } | undefined
  override async snapshot(): Promise<MemorySnapshot> {
    const { items, summary } = await super.snapshot()
    this.#live ??= { items: [] }
    // One object, kept up to date for everybody who holds it.
    this.#live.items.splice(0, this.#live.items.length, ...items)
    this.#live.summary = summary
    return this.#live
  }
  override async addUserInput(input: UserInput): Promise<void> {
    await super.addUserInput(input)
    await this.snapshot()
  }
}

class RestoresLate extends InMemoryAgentMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    await Promise.resolve()
    await super.restore(snapshot)
  }
}

class UpdateAnswersItsArgument extends InMemoryAgentMemory {
  override async update(
    change: (current: MemorySnapshot) => MemorySnapshot,
  ): Promise<MemorySnapshot> {
    let answer: MemorySnapshot = { items: [] }
    await super.update((current) => {
      answer = change(current)
      return answer
    })
    return answer
  }
}

class UpdateInPlace extends InMemoryAgentMemory {
  override async update(
    change: (current: MemorySnapshot) => MemorySnapshot,
  ): Promise<MemorySnapshot> {
    const current = await this.snapshot()
    try {
      const next = change(current)
      await this.restore(next)
      return await this.snapshot()
    } catch (error) {
      await this.restore(current)
      throw error
    }
  }
}

class AdoptsLate extends Forwarding {
  override async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    await Promise.resolve()
    return super.adopt(snapshot)
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze)
  return Object.freeze(value)
}

class HandsOutFrozen extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    return freeze(await super.getItems())
  }
}

export const brokenAliases = [
  inProcess('input copied only later', 'aliasing-input-after-the-call', (options) => {
    return new CopiesLate(options)
  }),
  inProcess('reads hand out a cache', 'aliasing-read-items', (options) => {
    return new HandsOutItsCache(options)
  }),
  inProcess('the injected message is shared', 'aliasing-injected-message', (options) => {
    return new OneInjectedMessage(options)
  }),
  inProcess('snapshots are live', 'aliasing-snapshot', (options) => new LiveSnapshots(options)),
  inProcess('restore copies only later', 'aliasing-restore', (options) => {
    return new RestoresLate(options)
  }),
  inProcess('update resolves to its argument', 'aliasing-update', (options) => {
    return new UpdateAnswersItsArgument(options)
  }),
  inProcess('a change that throws is kept', 'aliasing-update-that-throws', (options) => {
    return new UpdateInPlace(options)
  }),
  stored(
    'adopt copies only later',
    'aliasing-adopt',
    (world, id, options) => new AdoptsLate(world, id, options),
  ),
  inProcess('what is read is frozen', 'aliasing-frozen-input', (options) => {
    return new HandsOutFrozen(options)
  }),
]
