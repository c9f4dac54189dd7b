import { type AgentItem, InMemoryAgentMemory } from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  Forwarding,
  inProcess,
  OneDoorInProcess,
  stored,
  systemMessage,
  type UserInput,
} from './broken-memory.ts'

/** Shows items and summary in a way of its own. */
const showing = (show: (items: readonly AgentItem[], summary: string) => AgentItem[]) =>
  class extends InMemoryAgentMemory {
    override async getItems(): Promise<AgentItem[]> {
      const { items, summary } = await this.snapshot()
      return summary?.trim() ? show(items, summary) : [...items]
    }
  }

const asRole = (role: string) =>
  showing((items, summary) => [{ ...systemMessage(summary), role }, ...items])

class ShowsBlank extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    const { items, summary } = await this.snapshot()
    return summary === undefined ? [...items] : [systemMessage(summary), ...items]
  }
}

class StoresWhatItShows extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    const items = await super.getItems()
    await this.restore({ items })
    return items
  }
}

class SnapshotsWhatItShows extends InMemoryAgentMemory {
  override async snapshot() {
    const summary = await this.getSummary()
    const items = await this.getItems()
    return summary === undefined ? { items } : { items, summary }
  }
}

class StoresItWithEachAdd extends OneDoorInProcess {
  protected async add(items: readonly AgentItem[]): Promise<void> {
    const shown = await this.getItems()
    const { summary } = await this.snapshot()
    await this.restore({ items: [...shown, ...items], ...(summary ? { summary } : {}) })
  }
}

class StoresItOnResume extends Forwarding {
  #resumed = false
  override async addUserInput(input: UserInput): Promise<void> {
    if (!this.#resumed) {
      this.#resumed = true
      const summary = await this.inner.getSummary()
      const items = await this.inner.getItems()
      if (items.length > 0) await this.inner.restore(summary ? { items, summary } : { items })
    }
    await super.addUserInput(input)
  }
}

class Trims extends InMemoryAgentMemory {
  override setSummary(summary: string | undefined): Promise<void> {
    return super.setSummary(typeof summary === 'string' ? summary.trim() : summary)
  }
}

class NeverRemoves extends InMemoryAgentMemory {
  override async setSummary(summary: string | undefined): Promise<void> {
    if (summary !== undefined) await super.setSummary(summary)
  }
}

class IgnoresTheCompressors extends InMemoryAgentMemory {
  constructor({ compressor }: OpenOptions) {
    super(
      compressor && {
        compressor: {
          compress(snapshot) {
            const { items } = compressor.compress(snapshot) as { items: AgentItem[] }
            return { items, summary: snapshot.summary }
          },
        },
      },
    )
  }
}

class KeepsItToItself extends Forwarding {
  #summary: string | undefined
  override async setSummary(summary: string | undefined): Promise<void> {
    this.#summary = summary
  }
  override async getSummary(): Promise<string | undefined> {
    return this.#summary ?? (await super.getSummary())
  }
}

class SkipsItsOwnText extends InMemoryAgentMemory {
  override async getItems(): Promise<AgentItem[]> {
    const [first, ...rest] = await super.getItems()
    const text = JSON.stringify(first)
    return first ? [first, ...rest.filter((item) => JSON.stringify(item) !== text)] : []
  }
}

const name = 'summary-one-system-message-first'

export const brokenSummaries = [
  inProcess('summary not injected', name, (options) => {
    return new (showing((items) => [...items]))(options)
  }),
  inProcess('summary injected last', name, (options) => {
    return new (showing((items, summary) => [...items, systemMessage(summary)]))(options)
  }),
  inProcess('summary injected twice', name, (options) => {
    return new (showing((items, summary) => [
      systemMessage(summary),
      systemMessage(summary),
      ...items,
    ]))(options)
  }),
  inProcess('summary injected as user', name, (options) => new (asRole('user'))(options)),
  inProcess('summary injected as developer', name, (options) => new (asRole('developer'))(options)),
  inProcess('summary shown only with items', 'summary-alone', (options) => {
    return new (showing((items, summary) =>
      items.length > 0 ? [systemMessage(summary), ...items] : [],
    ))(options)
  }),
  inProcess('blank summary injected', 'summary-blank-adds-nothing', (options) => {
    return new ShowsBlank(options)
  }),
  inProcess('reading stores the injected summary', 'summary-never-stored', (options) => {
    return new StoresWhatItShows(options)
  }),
  inProcess('a snapshot holds the injected summary', 'summary-never-stored', (options) => {
    return new SnapshotsWhatItShows(options)
  }),
  inProcess('an add stores the injected summary', 'summary-not-stored-by-adds', (options) => {
    return new StoresItWithEachAdd(options)
  }),
  stored(
    'resume stores the injected summary',
    'summary-once-after-resume',
    (world, id, options) => new StoresItOnResume(world, id, options),
  ),
  inProcess("a user's item equal to the summary hidden", 'summary-equal-item-kept', (options) => {
    return new SkipsItsOwnText(options)
  }),
  inProcess('summary trimmed', 'summary-text-unchanged', (options) => new Trims(options)),
  inProcess('summary never removed', 'summary-set-and-removed', (options) => {
    return new NeverRemoves(options)
  }),
  inProcess("a compressor's summary ignored", 'summary-from-a-compressor', (options) => {
    return new IgnoresTheCompressors(options)
  }),
  stored(
    'summary kept by the handle that set it',
    'resume-sees-the-summary',
    (world, id, options) => new KeepsItToItself(world, id, options),
  ),
]
