import {
  type AgentMemory,
  createStorage,
  InMemoryAgentMemory,
  MemoryDriver,
  type Storage,
} from '@holdfast/core'
import { freshId } from '../../src/fresh-id.ts'
import type { MemorySupplier, SupplierHarness } from '../../src/memory/index.ts'
import { Forwarding, tick } from '../memories/broken-memory.ts'

/** A supplier with one fault, and the case that must reject it. */
export interface BrokenSupplier {
  readonly fault: string
  readonly rejectedBy: string
  /** Core itself refuses it with this code. */
  readonly code?: string
  harness(): SupplierHarness
}

const newId = () => freshId('s').slice(0, 40)

const inProcess = (
  fault: string,
  rejectedBy: string,
  make: () => MemorySupplier,
  code?: string,
): BrokenSupplier => ({
  fault,
  rejectedBy: `supplier-${rejectedBy}`,
  ...(code === undefined ? {} : { code }),
  harness() {
    const supply = make()
    return { persistent: false, supply, resupply: supply, newId }
  },
})

const stored = (
  fault: string,
  rejectedBy: string,
  make: (storage: Storage) => MemorySupplier,
  code?: string,
): BrokenSupplier => ({
  fault,
  rejectedBy: `supplier-${rejectedBy}`,
  ...(code === undefined ? {} : { code }),
  harness() {
    const driver = new MemoryDriver()
    const [supply, resupply] = [make(createStorage(driver)), make(createStorage(driver))]
    return { persistent: true, supply, resupply, newId }
  },
})

/** Hides what it wraps: no identity, no other object to compare. */
const wrapped = (memory: AgentMemory): AgentMemory => ({
  addUserInput: (input) => memory.addUserInput(input),
  addOutputItems: (items) => memory.addOutputItems(items),
  addToolOutput: (callId, output) => memory.addToolOutput(callId, output),
  getItems: () => memory.getItems(),
  getSummary: () => memory.getSummary(),
  clear: () => memory.clear(),
})

/** A container per id, made when it is first asked for. */
function perId(make: () => AgentMemory = () => new InMemoryAgentMemory()) {
  const memories = new Map<string, AgentMemory>()
  return (id: string): AgentMemory => {
    const memory = memories.get(id) ?? make()
    memories.set(id, memory)
    return memory
  }
}

class NewIdentity extends Forwarding {
  override get identity(): object {
    return {}
  }
}

const apart = 'sessions-apart'

/** Every deliberately broken supplier. */
export const brokenSuppliers: readonly BrokenSupplier[] = [
  inProcess(
    'one object for every session',
    apart,
    () => {
      const memory = new InMemoryAgentMemory()
      return () => memory
    },
    'SHARED_MEMORY',
  ),
  inProcess(
    'one object for every session, by a promise',
    apart,
    () => {
      const memory = Promise.resolve(new InMemoryAgentMemory())
      return () => memory
    },
    'SHARED_MEMORY',
  ),
  stored(
    'one stored memory for every session: one identity',
    apart,
    (storage) => () => storage.memory('the conversation'),
    'SHARED_MEMORY',
  ),
  inProcess('wrappers of their own around one memory', apart, () => {
    const memory = new InMemoryAgentMemory()
    return () => wrapped(memory)
  }),
  inProcess('no memory', 'answers-a-memory', () => () => undefined as never, 'INVALID_ARGUMENT'),
  inProcess(
    'a memory that lacks a method',
    'answers-a-memory',
    () => () => ({ ...wrapped(new InMemoryAgentMemory()), addToolOutput: undefined as never }),
    'INVALID_ARGUMENT',
  ),
  inProcess('a memory that begins with a greeting', 'new-sessions-are-empty', () => {
    return async () => {
      const memory = new InMemoryAgentMemory()
      await memory.addUserInput('hello')
      return memory
    }
  }),
  inProcess('a pool of sixteen memories', 'many-sessions-at-once', () => {
    const pool = Array.from({ length: 16 }, () => new InMemoryAgentMemory())
    let next = 0
    return () => wrapped(pool[next++ % pool.length] ?? new InMemoryAgentMemory())
  }),
  inProcess('the session that was asked for last', 'many-sessions-at-once', () => {
    const memoryOf = perId()
    let current = ''
    return async (id) => {
      current = id
      await tick()
      return wrapped(memoryOf(current))
    }
  }),
  inProcess('ids folded to lower case', 'look-alike-ids-apart', () => {
    const memoryOf = perId()
    return (id) => wrapped(memoryOf(id.toLowerCase()))
  }),
  stored('ids trimmed', 'look-alike-ids-apart', (storage) => (id) => storage.memory(id.trim())),
  stored(
    'the part after a colon ignored',
    'look-alike-ids-apart',
    (storage) => (id) => storage.memory(id.split(':')[0] || id),
  ),
  stored('a memory is opened once only', 'same-id-twice', (storage) => {
    const open = new Set<string>()
    return (id) => {
      if (open.has(id)) throw new Error(`${id} is open`)
      open.add(id)
      return storage.memory(id)
    }
  }),
  stored('a new empty memory for a known id', 'resumes', () => () => new InMemoryAgentMemory()),
  stored('a copy of what is stored', 'resumes', (storage) => async (id) => {
    const copy = new InMemoryAgentMemory()
    await copy.restore(await storage.memory(id).snapshot())
    return copy
  }),
  stored('a memory that is cleared when it is opened', 'resumes', (storage) => async (id) => {
    const memory = storage.memory(id)
    await memory.clear()
    return memory
  }),
  stored('a memory for each process', 'resumes', (storage) => {
    const process = newId()
    return (id) => storage.memory(`${process} ${id}`)
  }),
  stored('opening stores a mark', 'opening-writes-nothing', (storage) => async (id) => {
    const memory = storage.memory(id)
    await memory.setSummary(' ')
    return memory
  }),
  stored('a new identity each time', 'identity-is-the-ids', (storage) => (id) => {
    return new NewIdentity({ storage, shared: new Map() }, id)
  }),
]
