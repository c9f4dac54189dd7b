import {
  type AgentItem,
  type AgentMemory,
  createStorage,
  type DurableAgentMemory,
  InMemoryAgentMemory,
  type MemoryCompressor,
  MemoryDriver,
  type MemorySnapshot,
  type Storage,
} from '@holdfast/core'
import { freshId } from '../../src/fresh-id.ts'
import type { MemoryHarness, OpenOptions, TestedMemory } from '../../src/memory/index.ts'

/** A memory with one fault, and the case that must reject it. */
export interface BrokenMemory {
  /** What is wrong, in words. */
  readonly fault: string
  /** Id of the case named for it. */
  readonly rejectedBy: string
  harness(): MemoryHarness
}

/** What a broken memory over a storage may reach. */
export interface World {
  /** The storage of the process that opens. */
  readonly storage: Storage
  /** Something that all processes share beside the storage. */
  readonly shared: Map<string, unknown>
}

export type OpenBroken = (world: World, id: string, options: OpenOptions) => TestedMemory

const newId = () => freshId('m').slice(0, 40)

/** A fault in a memory that lives in one process. */
export const inProcess = (
  fault: string,
  rejectedBy: string,
  open: (options: OpenOptions) => TestedMemory,
): BrokenMemory => ({
  fault,
  rejectedBy: `memory-${rejectedBy}`,
  harness: () => ({
    abilities: { persistent: false, swap: 'lazy', snapshot: true },
    open: async (_id, options = {}) => open(options),
    reopen: async () => {
      throw new Error('A memory of one process is never opened in a second.')
    },
    newId,
  }),
})

/** A fault in a memory over a storage. */
export const stored = (fault: string, rejectedBy: string, open: OpenBroken): BrokenMemory => ({
  fault,
  rejectedBy: `memory-${rejectedBy}`,
  harness() {
    const driver = new MemoryDriver()
    const shared = new Map<string, unknown>()
    const [first, second] = [createStorage(driver), createStorage(driver)]
    return {
      abilities: { persistent: true, swap: 'eager', snapshot: true },
      open: async (id, options = {}) => open({ storage: first, shared }, id, options),
      reopen: async (id, options = {}) => open({ storage: second, shared }, id, options),
      newId,
    }
  },
})

/** A correct memory over a storage, to override a method of. */
export class Forwarding {
  readonly inner: DurableAgentMemory
  readonly #storage: World['storage']
  readonly #id: string

  constructor({ storage }: World, id: string, options: OpenOptions = {}) {
    this.inner = storage.memory(id, options)
    this.#storage = storage
    this.#id = id
  }

  get identity(): object {
    return this.inner.identity
  }
  addUserInput(input: string | AgentItem | readonly AgentItem[] | null | undefined): Promise<void> {
    return this.inner.addUserInput(input)
  }
  addOutputItems(items: readonly AgentItem[] | null | undefined): Promise<void> {
    return this.inner.addOutputItems(items)
  }
  addToolOutput(
    callId: string | null | undefined,
    output: string | readonly AgentItem[],
  ): Promise<void> {
    return this.inner.addToolOutput(callId, output)
  }
  getItems(): Promise<AgentItem[]> {
    return this.inner.getItems()
  }
  getSummary(): Promise<string | undefined> {
    return this.inner.getSummary()
  }
  clear(): Promise<void> {
    return this.inner.clear()
  }
  snapshot(): Promise<MemorySnapshot> {
    return this.inner.snapshot()
  }
  restore(snapshot: MemorySnapshot): Promise<void> {
    return this.inner.restore(snapshot)
  }
  update(change: (current: MemorySnapshot) => MemorySnapshot): Promise<MemorySnapshot> {
    return this.inner.update(change)
  }
  setSummary(summary: string | undefined): Promise<void> {
    return this.inner.setSummary(summary)
  }
  setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    return this.inner.setCompressor(compressor)
  }
  adopt(snapshot: MemorySnapshot): Promise<boolean> {
    return this.inner.adopt(snapshot)
  }
  delete(): Promise<boolean> {
    return this.inner.delete()
  }
  pin(): AgentMemory {
    return this.inner.pin()
  }
  /** Whether the memory is stored, as a listing says. */
  protected async there(): Promise<boolean> {
    const { memories } = await this.#storage.listMemories({ limit: 1_000 })
    return memories.some(({ id }) => id === this.#id)
  }
}

export type UserInput = Parameters<Forwarding['addUserInput']>[0]
export type Output = Parameters<Forwarding['addOutputItems']>[0]
export type ToolOutput = Parameters<Forwarding['addToolOutput']>[1]
export type CallId = Parameters<Forwarding['addToolOutput']>[0]

/** The items of any add, in the shapes that memories store. */
export function itemsOf(input: UserInput): AgentItem[] {
  if (input === null || input === undefined) return []
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }]
  }
  return Array.isArray(input) ? [...input] : [input as AgentItem]
}

export const outputItem = (callId: string, output: ToolOutput): AgentItem => ({
  type: 'function_call_output',
  call_id: callId,
  output,
})

/** Every add of `Forwarding` goes through `add`, so that one override breaks all three. */
export abstract class OneDoor extends Forwarding {
  protected abstract add(items: readonly AgentItem[]): Promise<void>

  override async addUserInput(input: UserInput): Promise<void> {
    const items = itemsOf(input)
    if (items.length > 0) await this.add(items)
  }
  override async addOutputItems(items: Output): Promise<void> {
    if (items && items.length > 0) await this.add(items)
  }
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId === '') return this.inner.addToolOutput(callId, output)
    if (typeof callId === 'string') await this.add([outputItem(callId, output)])
  }
}

/** A correct memory in this process that tells its compressor, to override a method of. */
export class LocalMemory extends InMemoryAgentMemory {
  #compressor: MemoryCompressor | undefined

  constructor(options: OpenOptions = {}) {
    super(options)
    this.#compressor = options.compressor
  }

  protected get compressor(): MemoryCompressor | undefined {
    return this.#compressor
  }
  protected set compressor(compressor: MemoryCompressor | undefined) {
    void this.setCompressor(compressor)
  }
  override async setCompressor(compressor: MemoryCompressor | undefined): Promise<void> {
    await super.setCompressor(compressor)
    this.#compressor = compressor
  }
}

/** The same in one process. */
export abstract class OneDoorInProcess extends LocalMemory {
  protected abstract add(items: readonly AgentItem[]): Promise<void>

  override async addUserInput(input: UserInput): Promise<void> {
    const items = itemsOf(input)
    if (items.length > 0) await this.add(items)
  }
  override async addOutputItems(items: Output): Promise<void> {
    if (items && items.length > 0) await this.add(items)
  }
  override async addToolOutput(callId: CallId, output: ToolOutput): Promise<void> {
    if (callId === '') return super.addToolOutput(callId, output)
    if (typeof callId === 'string') await this.add([outputItem(callId, output)])
  }
  /** The right way to add. */
  protected store(items: readonly AgentItem[]): Promise<void> {
    return super.addOutputItems(items)
  }
}

export const tick = () => new Promise<void>((resolve) => setImmediate(resolve))

export const systemMessage = (text: string): AgentItem => ({
  type: 'message',
  role: 'system',
  content: [{ type: 'input_text', text }],
})
