import type { AgentMemory, Persistent } from '../contracts/agent-memory.ts'
import type {
  AgentDelta,
  AgentInput,
  AgentResult,
  AgentStream,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import type { AgentSessionSnapshot } from '../contracts/agent-session-store.ts'
import type { JsonObject } from '../contracts/item.ts'
import { HoldfastError, invalid, knownOptions, show, wrong } from '../errors.ts'
import { checkId } from '../ids.ts'
import { InMemoryAgentMemory } from '../memory/in-memory-agent-memory.ts'
import { isEmpty, snapshotOfMemory } from '../memory/memory-access.ts'
import { AgentSession, type SessionConfig, type SessionRecord } from '../sessions/agent-session.ts'
import { agentStream } from '../sessions/agent-stream.ts'
import { EventPublisher } from '../sessions/event-publisher.ts'
import { forkMemory, resumeMemory, sessionExists } from '../sessions/install-memory.ts'
import { Recorder } from '../sessions/recorder.ts'
import { Redaction } from '../sessions/redaction.ts'
import { SessionEventLog } from '../sessions/session-event-log.ts'
import { checkAttributes } from '../sessions/session-input.ts'
import { type AgentOptions, configOf } from './agent-options.ts'
import { type AgentToolOptions, agentTool } from './agent-tool.ts'
import { checkMemory, RUN_OPTIONS } from './check.ts'
import { reactRuntime } from './react-runtime.ts'
import { claimMemory } from './session-owners.ts'
import type { Tool } from './tools.ts'

/** Options of a run without a session. */
export interface AgentRunOptions extends RunOptions {
  /** Default: a fresh in-memory one. The supplier serves sessions only. */
  readonly memory?: AgentMemory | undefined
}

/** A run as `runAsync` takes it: its input and options in one. */
export interface AgentRunRequest extends AgentRunOptions {
  /** As the first argument of `run`. */
  readonly input: AgentInput
}

/** Runs a task when its turn comes; an instance of `p-limit` is one. */
export type Executor = <T>(task: () => Promise<T>) => Promise<T>

/** What a new session begins with. */
export interface NewSessionOptions {
  /** Default: a random UUID. */
  readonly id?: string | undefined
  /** The user's own; in `session.metadata`. */
  readonly attributes?: JsonObject | undefined
}

/** A model, its tools and its rules. It makes sessions, and runs input with or without one. */
export interface Agent {
  /**
   * A one-off run over `memory`, without a session: nobody can answer its pending calls later but by giving
   * their outputs as input. Errors as of `AgentSession.run`; `CONFLICT` also while another run in this
   * process uses that memory.
   */
  run(input: AgentInput, options?: AgentRunOptions): Promise<AgentResult>
  /** As `run`, shown while it goes on. */
  stream(input: AgentInput, options?: AgentRunOptions): AgentStream
  /** As `run`, when `executor` gives it a turn; by default at once. */
  runAsync(request: AgentRunRequest, executor?: Executor): Promise<AgentResult>
  /**
   * The session of that id, resumed or made: the habit of a thread id. Without a session store the id
   * names the memory alone. `INVALID_ARGUMENT`: a bad id, or the supplier returned no `AgentMemory`.
   * `SHARED_MEMORY`: it returned that of another id.
   */
  session(id: string): Promise<AgentSession>
  /** A session that does not exist yet: `CONFLICT` if there is a record or a memory of that id. Nothing is written. */
  newSession(options?: NewSessionOptions): Promise<AgentSession>
  /** A session that was saved: `NOT_FOUND` for an unknown id, `INVALID_ARGUMENT` without a session store. */
  resumeSession(id: string): Promise<AgentSession>
  /** Deletes the memory of that id and then its record; answers whether there was either. */
  deleteSession(id: string): Promise<boolean>
  /** This agent as a tool for another. */
  asTool(options: AgentToolOptions): Tool
}

const empty = (): AgentMemory => new InMemoryAgentMemory()

/** Makes an agent. Every option is checked here: `INVALID_ARGUMENT` names the wrong one. */
export function createAgent(options: AgentOptions): Agent {
  const config = configOf(options)
  const runtime = reactRuntime(config)
  const { sessionStore: store, redact, listeners = [], memorySupplier: supply = empty } = options

  const memoryOf = async (id: string): Promise<AgentMemory & Partial<Persistent>> => {
    checkId(id, 'The session id')
    const memory = checkMemory(await supply(id))
    claimMemory(memory, id)
    return memory
  }

  const open = (id: string, memory: AgentMemory, record: SessionRecord) =>
    new AgentSession(id, memory, sessions, record)

  const create = (id: string, memory: AgentMemory, attributes: JsonObject = {}) => {
    const now = Date.now()
    return open(id, memory, {
      metadata: { createdAt: now, updatedAt: now, attributes },
      events: [],
    })
  }

  const resume = async (id: string, record: AgentSessionSnapshot): Promise<AgentSession> => {
    const memory = await memoryOf(id)
    await resumeMemory(memory, record.memory)
    return open(id, memory, record).begin('resume')
  }

  const fork = async ({ revision: _, ...record }: AgentSessionSnapshot): Promise<AgentSession> => {
    const { id, metadata } = record
    if (await store?.load(checkId(id, 'The session id'))) throw sessionExists(id)
    const memory = await memoryOf(id)
    await forkMemory(memory, record.memory, id)
    const now = { createdAt: Date.now(), updatedAt: Date.now() }
    const session = open(id, memory, { ...record, metadata: { ...metadata, ...now } })
    return session.begin('fork')
  }

  const sessions: SessionConfig = {
    runtime,
    store,
    autosave: options.autosave ?? 'step',
    redact,
    listeners: [...listeners],
    compactPolicy: options.compactPolicy,
    fork,
  }

  const publisherOf = () =>
    new EventPublisher(new SessionEventLog(), undefined, new Redaction(redact), listeners)

  const oneOff = async (
    publisher: EventPublisher,
    input: AgentInput,
    given: AgentRunOptions,
    onDelta?: (delta: AgentDelta) => void,
  ): Promise<AgentResult> => {
    const { memory = empty(), ...rest } = knownOptions(given, ['memory', ...RUN_OPTIONS])
    const recorder = new Recorder(checkMemory(memory), publisher)
    return runtime.run(recorder.forRun({ onDelta }), input, rest)
  }

  const oneByOne = turnsById()

  const agent: Agent = {
    run: (input, given = {}) => oneOff(publisherOf(), input, given),

    stream(input, given = {}) {
      const publisher = publisherOf()
      return agentStream(publisher, given, (own, onDelta) => oneOff(publisher, input, own, onDelta))
    },

    async runAsync(request, executor = (task) => task()) {
      if (typeof executor !== 'function') throw wrong('executor', 'a function', executor)
      const { input, ...rest } = knownOptions(request, ['input', 'memory', ...RUN_OPTIONS])
      return executor(() => agent.run(input, rest))
    },

    async session(id) {
      const record = await store?.load(checkId(id, 'The session id'))
      return record ? resume(id, record) : create(id, await memoryOf(id)).begin('resume')
    },

    async newSession(given = {}) {
      const { id = crypto.randomUUID(), attributes = {} } = knownOptions(given, [
        'id',
        'attributes',
      ])
      const kept = checkAttributes(attributes)
      if (await store?.load(checkId(id, 'The session id'))) throw sessionExists(id)
      const memory = await memoryOf(id)
      if (!isEmpty(await snapshotOfMemory(memory))) throw sessionExists(id)
      return create(id, memory, kept)
    },

    async resumeSession(id) {
      if (!store) throw invalid('The agent has no sessionStore; give it one to resume sessions.')
      const record = await store.load(checkId(id, 'The session id'))
      if (record) return resume(id, record)
      throw new HoldfastError(
        'NOT_FOUND',
        `There is no saved session ${show(id)}; agent.session(id) makes one.`,
      )
    },

    async deleteSession(id) {
      const memory = await memoryOf(id)
      // The memory first: what is left of a failure is a record without content, never content without a record.
      const removed = Boolean(memory.delete ? await memory.delete() : await cleared(memory))
      return ((await store?.delete(id)) ?? false) || removed
    },

    asTool: (given) =>
      agentTool(given, async (input, rest, sessionId) => {
        if (sessionId === undefined) return agent.run(input, rest)
        return oneByOne(sessionId, async () => {
          const session = await agent.session(sessionId)
          // The next call opens the session again: it must find this one saved. A save that fails is an event.
          return session.run(input, rest).finally(() => session.flush().catch(() => {}))
        })
      }),
  }
  return agent
}

/** Runs tasks of one id one after the other: parallel calls of a sub-agent in one conversation. */
function turnsById() {
  const tails = new Map<string, Promise<unknown>>()
  return <T>(id: string, task: () => Promise<T>): Promise<T> => {
    const run = (tails.get(id) ?? Promise.resolve()).then(task)
    const tail: Promise<unknown> = run
      .catch(() => {})
      .then(() => tails.get(id) === tail && tails.delete(id))
    tails.set(id, tail)
    return run
  }
}

async function cleared(memory: AgentMemory): Promise<boolean> {
  if (isEmpty(await snapshotOfMemory(memory))) return false
  await memory.clear()
  return true
}
