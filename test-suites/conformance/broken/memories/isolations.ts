import { type AgentItem, InMemoryAgentMemory } from '@holdfast/core'
import type { OpenOptions } from '../../src/memory/index.ts'
import {
  type BrokenMemory,
  Forwarding,
  inProcess,
  OneDoor,
  stored,
  tick,
  type World,
} from './broken-memory.ts'

/** Stores under another id. */
const renaming = (fault: string, rejectedBy: string, rename: (id: string) => string) =>
  stored(fault, rejectedBy, (world, id, options) => {
    return new Forwarding(world, typeof id === 'string' ? rename(id) : id, options)
  })

const lookAlike = 'isolation-look-alike-ids'

/** Two memories of one process on one state. */
function sharing(): (options: OpenOptions) => InMemoryAgentMemory {
  let last: InMemoryAgentMemory | undefined
  return (options) => {
    last = options.compressor || !last ? new InMemoryAgentMemory(options) : last
    return last
  }
}

class OneSummary extends InMemoryAgentMemory {
  static #summary: string | undefined
  override async setSummary(summary: string | undefined): Promise<void> {
    await super.setSummary(summary)
    OneSummary.#summary = summary
  }
  override async getSummary(): Promise<string | undefined> {
    return (await super.getSummary()) ?? OneSummary.#summary
  }
}

const openIds = (world: World) => {
  const ids = (world.shared.get('ids') as Set<string> | undefined) ?? new Set<string>()
  world.shared.set('ids', ids)
  return ids
}

class DeletesByPrefix extends Forwarding {
  readonly #world: World
  readonly #id: string
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id, options)
    openIds(world).add(id)
    this.#world = world
    this.#id = id
  }
  override async delete(): Promise<boolean> {
    const deleted = await super.delete()
    for (const id of openIds(this.#world)) {
      if (id.startsWith(this.#id)) await this.#world.storage.deleteMemory(id)
    }
    return deleted
  }
}

class OwnState extends Forwarding {
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, `${id}${openIds(world).size}`.slice(-200), options)
    openIds(world).add(`${id}${openIds(world).size}`)
  }
}

/** Remembers the current session in one place, and awaits something before it writes. */
class CurrentSession extends OneDoor {
  readonly #shared: Map<string, unknown>
  constructor(world: World, id: string, options: OpenOptions) {
    super(world, id, options)
    this.#shared = world.shared
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    this.#shared.set('current', this.inner)
    await tick()
    await (this.#shared.get('current') as typeof this.inner).addOutputItems(items)
  }
}

export const brokenIsolations: readonly BrokenMemory[] = [
  inProcess('two memories on one state', 'isolation-unrelated-ids', sharing()),
  inProcess('one summary for all memories', 'isolation-summaries', (options) => {
    return new OneSummary(options)
  }),
  renaming('case folded', lookAlike, (id) => id.toLowerCase()),
  renaming('trailing blanks folded', lookAlike, (id) => id.trimEnd() || id),
  renaming('accents folded', lookAlike, (id) => id.normalize('NFD').replace(/\p{M}/gu, '')),
  renaming('normal forms folded', lookAlike, (id) => id.normalize('NFC')),
  renaming('compatible forms folded', lookAlike, (id) => id.normalize('NFKC')),
  renaming('the part after a colon ignored', lookAlike, (id) => id.split(':')[0] || id),
  renaming('paths resolved', lookAlike, (id) => id.replace(/^(\.\.?\/)+/, '').replace(/\/+/g, '/')),
  renaming('punctuation removed', lookAlike, (id) => id.replace(/[*?%_[\]{}'"`$#&+]/g, '')),
  renaming('emoji folded', lookAlike, (id) => id.replace(/\p{Extended_Pictographic}/gu, '?')),
  renaming('ids cut at 100 characters', lookAlike, (id) => id.slice(0, 100)),
  renaming('percent signs decoded', lookAlike, (id) => id.replace('%41', 'A')),
  stored(
    'delete takes every id with the prefix',
    'isolation-exact-clear-and-delete',
    (world, id, options) => new DeletesByPrefix(world, id, options),
  ),
  renaming('control characters removed', 'isolation-control-characters', (id) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    return id.replace(/[\u0000-\u001f\u007f-\u009f]/g, '') || id
  }),
  renaming('ids not checked', 'isolation-ids-refused', (id) => {
    return !/\p{Cs}/u.test(id) && id.trim() && id.length <= 255 ? id : `other ${id.length}`
  }),
  stored(
    'each handle has a state of its own',
    'isolation-one-id-one-state',
    (world, id, options) => new OwnState(world, id, options),
  ),
  stored(
    'the current session is a global',
    'isolation-under-load',
    (world, id, options) => new CurrentSession(world, id, options),
  ),
]
