import type { MemorySnapshot } from '@holdfast/core'
import { type AgentItem, HoldfastError, InMemoryAgentMemory } from '@holdfast/core'
import {
  type BrokenMemory,
  type CallId,
  Forwarding,
  inProcess,
  OneDoorInProcess,
  type Output,
  stored,
  systemMessage,
  type ToolOutput,
  type UserInput,
} from './broken-memory.ts'

/** Every value below `value`, its keys too, as `change` makes it; cycles go through `change` first. */
function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  const changed = change(value)
  if (Array.isArray(changed)) return Array.from(changed, (each) => mapped(each, change))
  const plain =
    typeof changed === 'object' &&
    changed !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(changed))
  if (!plain) return changed
  return Object.fromEntries(
    Object.entries(changed).map(([key, each]) => [change(key), mapped(each, change)]),
  )
}

/** Changes what it is given before it stores it. */
class Changing extends OneDoorInProcess {
  readonly #change: (item: AgentItem) => AgentItem
  constructor(options: object, change: (item: AgentItem) => AgentItem) {
    super(options)
    this.#change = change
  }
  protected async add(items: readonly AgentItem[]): Promise<void> {
    await this.store(items.map((item) => (item === null ? item : this.#change(item))))
  }
}

const changing = (
  fault: string,
  rejectedBy: string,
  change: (item: AgentItem) => AgentItem,
): BrokenMemory => inProcess(fault, rejectedBy, (options) => new Changing(options, change))

const values = (fault: string, rejectedBy: string, change: (value: unknown) => unknown) =>
  changing(fault, rejectedBy, (item) => mapped(item, change) as AgentItem)

const texts = (fault: string, rejectedBy: string, change: (text: string) => string) =>
  values(fault, rejectedBy, (value) => (typeof value === 'string' ? change(value) : value))

function withoutCycles(value: unknown, above: readonly unknown[] = []): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[Circular]'
  if (Array.isArray(value)) return value.map((each) => withoutCycles(each, [...above, value]))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutCycles(each, [...above, value])]),
  )
}

/** A deep copy by plain assignment, as it is often written by hand. */
function assigned(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, assigned)
  if (typeof value !== 'object' || value === null) return value
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  const copy: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) copy[key] = assigned(each)
  return copy
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  )
}

const refuse = (why: string) => new HoldfastError('NOT_SERIALIZABLE', why)

function checked(item: AgentItem, check: (value: unknown, depth: number) => void): AgentItem {
  const walk = (value: unknown, depth: number) => {
    check(value, depth)
    if (typeof value !== 'object' || value === null || depth > 50) return
    for (const each of Object.values(value)) walk(each, depth + 1)
  }
  walk(item, 0)
  return item
}

/** Refuses an object that it meets a second time, wherever that is. */
function onlyOnce(item: AgentItem): AgentItem {
  const met = new Set<unknown>()
  return checked(item, (value) => {
    if (typeof value === 'object' && value !== null && met.has(value)) throw refuse('a cycle')
    met.add(value)
  })
}

class StoresUpToTheBadOne extends InMemoryAgentMemory {
  override async addOutputItems(items: Output): Promise<void> {
    for (const item of items ?? []) await super.addOutputItems([item])
  }
}

class NamesNoPath extends InMemoryAgentMemory {
  override async addUserInput(input: UserInput): Promise<void> {
    try {
      await super.addUserInput(input)
    } catch (cause) {
      throw (cause as HoldfastError).code === 'NOT_SERIALIZABLE'
        ? refuse('This is no JSON.')
        : cause
    }
  }
}

class LooksAtItemsOnly extends InMemoryAgentMemory {
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    const parts = typeof output === 'string' ? output : JSON.parse(JSON.stringify(output))
    await super.addToolOutput(callId, parts)
  }
}

class CreatesFirst extends Forwarding {
  override async addOutputItems(items: Output): Promise<void> {
    if (items && items.length > 0) await this.inner.restore({ items: [{ type: 'placeholder' }] })
    await super.addOutputItems(items)
  }
}

class RestoresAnything extends InMemoryAgentMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    const { items, summary } = snapshot ?? {}
    const list = Array.isArray(items) ? items.map((item) => withoutCycles(item)) : []
    const text = typeof summary === 'string' ? summary : undefined
    const good = list.filter((item) => typeof item === 'object' && item && !Array.isArray(item))
    await super.restore({ items: good as AgentItem[], summary: text })
  }
}

class RestoresMangled extends InMemoryAgentMemory {
  override async restore(snapshot: MemorySnapshot): Promise<void> {
    try {
      await super.restore(snapshot)
    } catch (error) {
      if ((error as HoldfastError).code !== 'NOT_SERIALIZABLE') throw error
      await super.restore({ items: [] })
    }
  }
}

class AdoptsAnything extends Forwarding {
  override async adopt(snapshot: MemorySnapshot): Promise<boolean> {
    return super.adopt(Array.isArray(snapshot?.items) ? snapshot : { items: [] })
  }
}

const isPlain = (value: unknown) => Object.getPrototypeOf(value) === Object.prototype

export const brokenValues: readonly BrokenMemory[] = [
  values('dates stored as text', 'refuses-dates', (value) =>
    value instanceof Date ? String(value) : value,
  ),
  values('bigints stored as text', 'refuses-bigints', (value) =>
    typeof value === 'bigint' ? String(value) : value,
  ),
  values('maps and sets stored empty', 'refuses-collections', (value) =>
    value instanceof Map || value instanceof Set || value instanceof WeakMap ? {} : value,
  ),
  values('bytes stored as objects', 'refuses-bytes', (value) =>
    value instanceof Uint8Array ? { ...value } : value,
  ),
  values('functions dropped', 'refuses-functions', (value) =>
    typeof value === 'function' || typeof value === 'symbol' ? undefined : value,
  ),
  values('NaN stored as null', 'refuses-numbers-beyond-json', (value) =>
    typeof value === 'number' && !Number.isFinite(value) ? null : value,
  ),
  changing('cycles cut', 'refuses-cycles', (item) => withoutCycles(item) as AgentItem),
  values('class instances flattened', 'refuses-class-instances', (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isPlain(value)
      ? { ...value }
      : value,
  ),
  values('undefined in arrays stored as null', 'refuses-undefined-in-arrays', (value) =>
    Array.isArray(value) ? Array.from(value, (each) => each ?? null) : value,
  ),
  inProcess('a batch stored up to the refused item', 'refuses-dates', (options) => {
    return new StoresUpToTheBadOne(options)
  }),
  inProcess('the refusal names no path', 'refuses-bigints', (options) => new NamesNoPath(options)),
  inProcess('content parts not checked', 'refuses-dates', (options) => {
    return new LooksAtItemsOnly(options)
  }),
  stored(
    'a refused add has created the memory',
    'refused-values-write-nothing',
    (world, id, options) => new CreatesFirst(world, id, options),
  ),
  inProcess('a refused restore has emptied', 'refused-values-in-whole-states', (options) => {
    return new RestoresMangled(options)
  }),
  inProcess('restore takes anything', 'refused-states', (options) => new RestoresAnything(options)),
  stored(
    'adopt takes anything',
    'refused-adoptions',
    (world, id, options) => new AdoptsAnything(world, id, options),
  ),
  texts('U+0000 removed', 'keeps-hostile-strings', (text) => text.replaceAll('\u0000', '')),
  texts('lone surrogates replaced', 'keeps-hostile-strings', (text) =>
    Buffer.from(text).toString(),
  ),
  texts('escape text repaired', 'keeps-hostile-strings', (text) =>
    text.replaceAll('\\u0000', '\u0000'),
  ),
  texts('non-ASCII removed', 'keeps-hostile-strings', (text) => text.replace(/[^\0-\x7f]/g, '')),
  texts('keys trimmed', 'keeps-hostile-keys', (text) => text.trim()),
  changing('__proto__ assigned', 'keeps-prototype-keys', (item) => assigned(item) as AgentItem),
  values('numbers rounded to 15 digits', 'keeps-numbers', (value) =>
    typeof value === 'number' && Math.abs(value) < 1e300 ? Number(value.toPrecision(15)) : value,
  ),
  values('null dropped', 'keeps-empty-values', (value) => (value === null ? undefined : value)),
  changing('empty items dropped', 'keeps-empty-values', (item) =>
    Object.keys(item).length === 0 ? { type: 'empty' } : item,
  ),
  values('undefined stored as null', 'drops-undefined-properties', (value) =>
    value === undefined ? null : value,
  ),
  changing('keys sorted', 'keeps-the-order-of-keys', (item) => {
    return sorted(withoutCycles(item)) as AgentItem
  }),
  changing('an item with a summary taken for one', 'keeps-items-that-look-like-ours', (item) =>
    typeof item['summary'] === 'string' ? systemMessage(item['summary']) : item,
  ),
  changing('an object that occurs twice refused', 'keeps-shared-parts', onlyOnce),
  changing('objects of other realms refused', 'keeps-plain-objects-of-any-realm', (item) =>
    checked(item, (value) => {
      if (typeof value !== 'object' || value === null || value instanceof Object) return
      throw refuse('not a plain object')
    }),
  ),
  changing('nesting cut at 32', 'keeps-deep-nesting', (item) =>
    checked(item, (_value, depth) => {
      if (depth > 32) throw refuse('too deep')
    }),
  ),
  changing('keys cut at 1,000', 'keeps-wide-items', (item) =>
    Object.fromEntries(Object.entries(item).slice(0, 1_000)),
  ),
  texts('texts cut at 65,535', 'keeps-text-of-any-length', (text) => text.slice(0, 65_535)),
  texts('texts cut in parts through pairs', 'keeps-text-of-any-length', (text) =>
    (text.match(/[\s\S]{1,250000}/g) ?? ['']).map((part) => Buffer.from(part).toString()).join(''),
  ),
  texts('texts over 16 MB refused', 'keeps-20-megabytes', (text) => {
    if (text.length > 2 ** 24) throw new HoldfastError('TOO_LARGE', 'over 16 MB')
    return text
  }),
]
