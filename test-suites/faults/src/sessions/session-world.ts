import { setImmediate as turn } from 'node:timers/promises'
import {
  type Agent,
  type AgentEvent,
  type AgentMemory,
  type AgentPrompt,
  type AgentResult,
  type AgentSession,
  type AgentSessionSnapshot,
  type AgentSessionStore,
  createAgent,
  createStorage,
  DefaultContextProjector,
  HoldfastError,
  InMemoryAgentMemory,
  InMemoryAgentSessionStore,
  type JsonObject,
  MemoryDriver,
  type MemorySnapshot,
  type ModelClient,
  type ScriptedTurn,
  scriptedModel,
  TypeAwareContextProjector,
} from '@holdfast/core'
import { CallCounts } from './call-counts.ts'
import { compactPolicy, LatestPolicy } from './compact-policies.ts'
import type { CallOrders, SessionPlan } from './session-plan.ts'
import { runsUnasked, sessionTools } from './session-tools.ts'
import { WindowProjector } from './window-projector.ts'

export const MAX_SESSIONS = 4

/** Ways to break a world, to show that the checks can fail. */
export interface Sabotage {
  readonly store?: (store: AgentSessionStore) => AgentSessionStore
  readonly memory?: (memory: AgentMemory) => AgentMemory
}

/** What it came to: compared between two worlds as JSON. */
export interface RunOutcome {
  readonly result?: AgentResult
  readonly code?: string
}

const redact = (value: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(value).replace(/secret-\d+/g, '(redacted)'))

/** What a run of a sequence happens in: where things are stored, and the processes that have sessions open. */
export class SessionWorld {
  readonly plan: SessionPlan
  readonly counts = new CallCounts()
  readonly projector: WindowProjector
  readonly sessions = new Map<string, AgentSession>()
  /** Snapshots that were taken of each session. */
  readonly kept = new Map<string, AgentSessionSnapshot[]>()
  prompts: AgentPrompt[] = []
  readonly faults: string[] = []
  readonly #sabotage: Sabotage
  readonly #driver = new MemoryDriver()
  readonly #inMemoryStore = new InMemoryAgentSessionStore()
  #turns: (ScriptedTurn | 'fail')[] = []
  #stop = new AbortController()

  constructor(plan: SessionPlan, sabotage: Sabotage = {}) {
    this.plan = plan
    this.#sabotage = sabotage
    this.projector = new WindowProjector(
      plan.projector === 'default'
        ? new DefaultContextProjector()
        : new TypeAwareContextProjector(),
    )
  }

  /** What a process that starts now has: nothing but what is stored. */
  process(): { readonly agent: Agent; readonly store: AgentSessionStore } {
    const { setup, autosave, budget, compactAt, compactBy, redacted } = this.plan
    const { memory = (one) => one, store: stored = (one) => one } = this.#sabotage
    const storage = createStorage(this.#driver)
    const store = stored(setup === 'in-memory' ? this.#inMemoryStore : storage.sessions())
    const agent = createAgent({
      modelClient: this.#model,
      model: 'scripted',
      modelRetries: 0,
      tools: sessionTools({
        ran: (id, nonce, name) => this.counts.ran(String(id), nonce, runsUnasked(name)),
        act: (id, orders) => this.#act(String(id), orders),
        stop: () => this.#stop.abort(),
      }),
      memorySupplier: (id) =>
        memory(setup === 'durable' ? storage.memory(id) : new InMemoryAgentMemory()),
      sessionStore: store,
      autosave,
      budget,
      projector: this.projector,
      ...(compactAt !== undefined && { compactPolicy: compactPolicy(compactBy, compactAt) }),
      ...(redacted && { redact }),
    })
    return { agent, store }
  }

  /** Runs `input` with the model saying `turns`. */
  async run(
    session: AgentSession,
    input: Parameters<AgentSession['run']>[0],
    turns: readonly (ScriptedTurn | 'fail')[],
    { streamed = false, close = false } = {},
  ): Promise<RunOutcome> {
    this.#turns = [...turns]
    this.#stop = new AbortController()
    const options = {
      signal: this.#stop.signal,
      ...(close && { onPending: 'close' as const }),
    }
    try {
      if (!streamed) return { result: await session.run(input, options) }
      const from = session.eventLog.lastSequence
      const stream = session.stream(input, options)
      const seen: AgentEvent[] = []
      for await (const part of stream) if ('sequence' in part) seen.push(part)
      const logged = session.eventLog.events.filter(({ sequence }) => sequence > from)
      if (seen.length > logged.length || seen.some((event, at) => event !== logged[at])) {
        this.faults.push('the stream shows other events than the log')
      }
      return { result: await stream.result }
    } catch (error) {
      // Results that come after an abort are dropped with an event: all of them before anything else happens.
      for (let turns = 0; turns < 8; turns++) await turn()
      return { code: codeOf(error) }
    }
  }

  readonly #model: ModelClient = {
    create: async (prompt, options) => {
      this.prompts.push(prompt)
      const turn = this.#turns.shift() ?? 'nothing more to say'
      if (turn === 'fail') throw new Error('the model is not to be reached')
      return scriptedModel([turn]).create(prompt, options)
    },
  }

  async #act(id: string, { act, nonce, text }: CallOrders): Promise<void> {
    const session = this.sessions.get(id)
    if (!session) throw new Error(`no session ${id}`)
    if (act === 'save') await session.save()
    if (act === 'snapshot') this.keep(id, await session.snapshot())
    if (act === 'compact') await session.compact(new LatestPolicy(0))
    if (act === 'replace') {
      const [callId] = await outputIds(session)
      if (callId !== undefined) await session.replaceToolOutput(callId, `from within: ${text}`)
    }
    if (act === 'fork' && this.sessions.size < MAX_SESSIONS) {
      const name = `fork of ${nonce}`
      // A call that runs twice, in two copies of one session, must not fork to one name twice.
      if (!this.sessions.has(name)) {
        this.counts.copy(id, name, false)
        this.sessions.set(name, await session.fork(name))
      }
    }
  }

  keep(id: string, snapshot: AgentSessionSnapshot): void {
    this.kept.set(id, [...(this.kept.get(id) ?? []), snapshot])
  }
}

/** The calls with a stored output, in their order. */
export async function outputIds(session: AgentSession): Promise<string[]> {
  const { items }: MemorySnapshot = await session.memory.snapshot()
  return items
    .filter(({ type }) => type === 'function_call_output')
    .map((item) => String(item['call_id']))
}

export function codeOf(error: unknown): string {
  if (error instanceof HoldfastError) return error.code
  throw error
}
