import {
  type Agent,
  type AgentEvent,
  type AgentEventType,
  type AgentItem,
  type AgentOptions,
  type AgentSession,
  type AgentSessionSnapshot,
  type AgentSessionStore,
  type CompactPolicy,
  type CompactResult,
  createAgent,
  createStorage,
  InMemoryAgentSessionStore,
  MemoryDriver,
  type MemorySnapshot,
  type ScriptedStep,
  SessionEventProjector,
  scriptedModel,
  tool,
} from '@holdfast/core'
import { expect } from 'vitest'
import { ANY_OBJECT, simpleTool } from '../runtime/support.ts'

/** An agent whose model answers `turns`. */
export const agentOf = (
  turns: readonly ScriptedStep[],
  options: Partial<AgentOptions> = {},
): Agent => createAgent({ modelClient: scriptedModel(turns), model: 'm', ...options })

/** A turn in which the model calls each of these tools, under the tool's name as id. */
export const calls = (...names: string[]) => ({
  calls: names.map((name) => ({ name, callId: name })),
})

/** A store that says when it is asked to save, and may wait or fail then. */
export class WatchedStore implements AgentSessionStore {
  readonly inner: AgentSessionStore
  readonly saved: AgentSessionSnapshot[] = []
  before: (snapshot: AgentSessionSnapshot) => unknown = () => {}

  constructor(inner: AgentSessionStore = new InMemoryAgentSessionStore()) {
    this.inner = inner
  }

  async save(snapshot: AgentSessionSnapshot) {
    await this.before(snapshot)
    const answer = await this.inner.save(snapshot)
    this.saved.push(structuredClone(snapshot))
    return answer
  }

  load(id: string) {
    return this.inner.load(id)
  }

  delete(id: string) {
    return this.inner.delete(id)
  }

  listSessionIds() {
    return this.inner.listSessionIds()
  }

  listSessions(query?: Parameters<AgentSessionStore['listSessions']>[0]) {
    return this.inner.listSessions(query)
  }
}

/** Memories and sessions of one `MemoryDriver`; every call stands for another process over it. */
export function durable(driver: MemoryDriver = new MemoryDriver()) {
  const open = () => {
    const storage = createStorage(driver)
    const memorySupplier = (id: string) => storage.memory(id)
    return { storage, stores: { memorySupplier, sessionStore: storage.sessions() } }
  }
  return { driver, open }
}

export const typesOf = ({ eventLog }: AgentSession): AgentEventType[] =>
  eventLog.events.map(({ type }) => type)

export const eventsOf = ({ eventLog }: AgentSession, type: AgentEventType): AgentEvent[] =>
  eventLog.events.filter((event) => event.type === type)

/** The payload of the only event of that type. */
export function onlyPayload(session: AgentSession, type: AgentEventType) {
  const events = eventsOf(session, type)
  expect(events).toHaveLength(1)
  return events[0]?.payload
}

/** The log tells of the memory that there is, in growing numbers. */
export async function expectFold(session: AgentSession): Promise<MemorySnapshot> {
  const { events, lastSequence } = session.eventLog
  const memory = await session.memory.snapshot()
  expect(SessionEventProjector.deriveSnapshot(events)).toEqual(memory)
  const numbers = events.map(({ sequence }) => sequence)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  expect(numbers.at(-1) ?? 0).toBe(lastSequence)
  return memory
}

const report = {
  itemsBefore: 0,
  itemsAfter: 0,
  approxCharsBefore: 0,
  approxCharsAfter: 0,
  approxTokensAfter: 0,
  dropped: 0,
  truncated: 0,
  repairs: [],
  overBudget: false,
}

export const compactResult = (memory: MemorySnapshot): CompactResult => ({
  memory,
  ...(memory.summary !== undefined && { summary: memory.summary }),
  completed: [],
  pending: [],
  decisions: [],
  files: [],
  openQuestions: [],
  report,
})

/** Replaces whatever is finished by how many items it was, on top of what the summary said. */
export const countingPolicy = (atLeast = 1): CompactPolicy => ({
  shouldCompact: ({ items }) => items.length >= atLeast,
  compact: ({ items, summary = '' }) =>
    compactResult({ items: [], summary: `${summary}[${items.length}]` }),
})

export const texts = (items: readonly AgentItem[]): unknown[] =>
  items.map((item) => {
    const content = item['content'] as { text: string }[] | undefined
    return content?.[0]?.text ?? item['output'] ?? item['call_id']
  })

/** A tool `risky` that needs approval, or says whether. */
export const risky = (needsApproval: unknown, execute: (args: unknown) => unknown = () => 'ran') =>
  tool({
    name: 'risky',
    description: '',
    parameters: ANY_OBJECT,
    needsApproval: needsApproval as boolean,
    execute,
  })

/** A tool `asks` that asks these questions and answers what was replied. */
export const asking = (...questions: string[]) =>
  simpleTool('asks', async (_, { ask }) => {
    const said: unknown[] = []
    for (const question of questions) said.push(await ask(question))
    return said
  })

/** A call of the tool `name` that waits. */
export const waiting = (name: string, request?: unknown) => ({
  callId: name,
  name,
  arguments: '{}',
  state: 'waiting',
  ...(request !== undefined && { request }),
})
