import type { AgentItem, AgentMemory, MemorySnapshot } from '@holdfast/core'
import type { OpenOptions, TestedMemory } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  Forwarding,
  OneDoor,
  stored,
  tick,
  type UserInput,
  type World,
} from './broken-memory.ts'

/** Keeps output items until the next user input. */
class FlushesLater extends Forwarding {
  #waiting: AgentItem[] = []
  override async addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void> {
    if (items) this.#waiting.push(...structuredClone(items))
  }
  override async addUserInput(input: UserInput): Promise<void> {
    await super.addOutputItems(this.#waiting.splice(0))
    await super.addUserInput(input)
  }
  override async getItems(): Promise<AgentItem[]> {
    return [...(await super.getItems()), ...structuredClone(this.#waiting)]
  }
}

/** Reads again only after a write of its own. */
class CachesReads extends OneDoor {
  #cached: AgentItem[] | undefined
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.addOutputItems(items)
    this.#cached = undefined
  }
  override async getItems(): Promise<AgentItem[]> {
    this.#cached ??= await super.getItems()
    return structuredClone(this.#cached)
  }
}

/** Takes a state that is longer than the known one for its continuation. */
class MixesStates extends Forwarding {
  #known: AgentItem[] = []
  override async getItems(): Promise<AgentItem[]> {
    const items = await super.getItems()
    this.#known =
      items.length > this.#known.length
        ? [...this.#known, ...items.slice(this.#known.length)]
        : items
    return structuredClone(this.#known)
  }
}

class WritesOnOpening extends Forwarding {
  override async getItems(): Promise<AgentItem[]> {
    if (!(await this.there())) await this.inner.setSummary(' ')
    return super.getItems()
  }
}

class AdoptsItemsOnly extends Forwarding {
  override adopt(snapshot: MemorySnapshot): Promise<boolean> {
    return super.adopt(snapshot && 'summary' in snapshot ? { items: snapshot.items } : snapshot)
  }
}

class AdoptsOver extends Forwarding {
  override async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    const adopted = await super.adopt(snapshot)
    if (!adopted) await super.restore(snapshot)
    return adopted
  }
}

class AdoptsTheDeleted extends Forwarding {
  override async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    if (await super.adopt(snapshot)) return true
    if (await this.there()) return false
    await super.restore(snapshot)
    return true
  }
}

class LooksThenAdopts extends Forwarding {
  override async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    if (await this.there()) return false
    const adopted = await super.adopt(snapshot)
    if (adopted) return true
    // Somebody was faster since it looked, which it does not notice.
    await super.restore(snapshot)
    return true
  }
}

class DeletesNothingGladly extends Forwarding {
  override async delete(): Promise<boolean> {
    await super.delete()
    return true
  }
}

class TakesEmptyForAbsent extends Forwarding {
  override async delete(): Promise<boolean> {
    const { items } = await super.snapshot()
    return (await super.delete()) && items.length > 0
  }
}

class LooksThenDeletes extends Forwarding {
  override async delete(): Promise<boolean> {
    const there = await this.there()
    await super.delete()
    return there
  }
}

class ClearCreates extends Forwarding {
  override async clear(): Promise<void> {
    await super.setSummary(' ')
    await super.clear()
  }
}

/** Keeps the state it read, and writes it back with each add. */
class WritesItsCopyBack extends OneDoor {
  #copy: MemorySnapshot = { items: [] }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.update(({ items: stored, summary }) => ({
      summary,
      items: [...(stored.length === 0 ? this.#copy.items : stored), ...items],
    }))
  }
  override async getItems(): Promise<AgentItem[]> {
    this.#copy = await super.snapshot()
    return super.getItems()
  }
}

/** The same for changes of the whole. */
class RestoresItsCopy extends Forwarding {
  #summary: string | undefined
  override async getItems(): Promise<AgentItem[]> {
    this.#summary = (await super.getSummary()) ?? this.#summary
    return super.getItems()
  }
  override async addUserInput(input: UserInput): Promise<void> {
    await super.addUserInput(input)
    if (this.#summary !== undefined) await super.setSummary(this.#summary)
  }
}

/** Deletes items, and leaves the numbers of the next ones to the cache of each handle. */
class DeleteOvertakes extends Forwarding {
  override delete(): Promise<boolean> {
    return tick().then(() => super.delete())
  }
}

/** Takes another life of the memory for a lost write, and does it again. */
class AddsAgain extends OneDoor {
  #view = this.inner.pin()
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.inner.addOutputItems(items)
    await tick()
    await this.#view.getItems().catch(() => this.inner.addOutputItems(items))
    this.#view = this.inner.pin()
    await this.#view.getItems()
  }
}

class NewIdentity extends Forwarding {
  override get identity(): object {
    return {}
  }
}

const shared = {}
class OneIdentity extends Forwarding {
  override get identity(): object {
    return shared
  }
}

class PinsNothing extends Forwarding {
  override pin(): AgentMemory {
    return this.inner
  }
}

/** Ends a view with the first change of others. */
class PinsAState extends Forwarding {
  override pin(): AgentMemory {
    const { inner } = this
    let seen: string | undefined
    const check = async () => {
      const now = JSON.stringify(await inner.snapshot())
      seen ??= now
      if (now !== seen) throw Object.assign(new Error('changed'), { code: 'CONFLICT' })
    }
    return pinnedBy(inner, check, () => {
      seen = undefined
    })
  }
}

/** Takes the life that it finds at the call after its first write for its own. */
class PinsTooLate extends Forwarding {
  override pin(): AgentMemory {
    const { inner } = this
    let view = inner.pin()
    let stored = false
    const check = async () => {
      if (!stored) view = inner.pin()
      stored ||= await this.there()
      await view.getItems()
    }
    return pinnedBy(inner, check, () => {})
  }
}

function pinnedBy(inner: AgentMemory, check: () => Promise<void>, wrote: () => void): AgentMemory {
  const write = async (call: () => Promise<void>) => {
    await check()
    await call()
    wrote()
  }
  return {
    addUserInput: (input) => write(() => inner.addUserInput(input)),
    addOutputItems: (items) => write(() => inner.addOutputItems(items)),
    addToolOutput: (callId, output) => write(() => inner.addToolOutput(callId, output)),
    clear: () => write(() => inner.clear()),
    getItems: () => check().then(() => inner.getItems()),
    getSummary: () => check().then(() => inner.getSummary()),
  }
}

const broken = (
  fault: string,
  rejectedBy: string,
  Broken: new (world: World, id: string, options: OpenOptions) => TestedMemory,
): BrokenMemory => stored(fault, rejectedBy, (world, id, options) => new Broken(world, id, options))

export const brokenPersistences: readonly BrokenMemory[] = [
  broken('output is stored with the next input', 'resume-in-another-process', FlushesLater),
  broken("reads miss another handle's items", 'strong-reads', CachesReads),
  broken('a cached state mixed with a newer one', 'strong-reads-of-rewrites', MixesStates),
  broken('a cached state mixed with the next life', 'recreated-stands-alone', MixesStates),
  broken('opening writes', 'opening-writes-nothing', WritesOnOpening),
  broken('adopt drops the summary', 'adopt-where-nothing-was', AdoptsItemsOnly),
  broken('adopt overwrites', 'adopt-never-rewinds', AdoptsOver),
  broken('adopt brings the deleted back', 'adopt-not-after-a-deletion', AdoptsTheDeleted),
  broken('adopt looks, then writes', 'adopt-has-one-winner', LooksThenAdopts),
  broken('delete of nothing is true', 'delete-removes-everything', DeletesNothingGladly),
  broken('a cleared memory is not there', 'delete-of-a-cleared-memory', TakesEmptyForAbsent),
  broken('delete looks, then deletes', 'delete-has-one-winner', LooksThenDeletes),
  broken('clear creates', 'clear-of-nothing-creates-nothing', ClearCreates),
  broken('a late writer brings old items back', 'deleted-stays-deleted', WritesItsCopyBack),
  broken('a late writer brings the summary back', 'cleared-stays-cleared', RestoresItsCopy),
  broken('delete is overtaken', 'delete-in-call-order', DeleteOvertakes),
  broken('an add is done again after a deletion', 'delete-beside-adds', AddsAgain),
  broken('each look at identity is new', 'identity-names-storage-and-id', NewIdentity),
  broken('one identity for all ids', 'identity-names-storage-and-id', OneIdentity),
  broken('a pinned view is no view', 'pin-ends-with-the-life', PinsNothing),
  broken('a pinned view ends with any change', 'pin-lasts-for-one-life', PinsAState),
  broken('a pinned view looks too late', 'pin-begins-with-the-first-write', PinsTooLate),
]
