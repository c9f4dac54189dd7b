import type { AgentMemory, MemorySnapshot } from '../contracts/agent-memory.ts'
import type {
  AgentDelta,
  AgentInput,
  AgentResult,
  AgentRuntime,
  AgentStream,
  CallAnswer,
  PendingCall,
  RunOptions,
} from '../contracts/agent-runtime.ts'
import type {
  AgentSessionSnapshot,
  AgentSessionStore,
  SessionMetadata,
} from '../contracts/agent-session-store.ts'
import type { CompactPolicy, CompactResult } from '../contracts/compaction.ts'
import type { AgentEventListener, Redact } from '../contracts/events.ts'
import type { AgentItem, JsonObject } from '../contracts/item.ts'
import { HoldfastError, invalid, knownOptions, show, wrong } from '../errors.ts'
import { cloneJson, copyJson, isRecord } from '../json.ts'
import { isEmpty, restoreMemory } from '../memory/memory-access.ts'
import { Turns } from '../turns.ts'
import { agentStream } from './agent-stream.ts'
import { answerCall, checkAnswer } from './answer-call.ts'
import { Autosave, type AutosaveMode } from './autosave.ts'
import { EventPublisher } from './event-publisher.ts'
import { sessionExists } from './install-memory.ts'
import { callStates, pendingCalls, stateOfCall } from './pending-calls.ts'
import { Recorder } from './recorder.ts'
import { Redaction } from './redaction.ts'
import { replaceOutput } from './replace-output.ts'
import { SessionEventLog } from './session-event-log.ts'
import { foldCompact } from './session-event-projector.ts'
import { checkAttributes, checkRestored } from './session-input.ts'
import { baselineOf, recordUntil } from './session-past.ts'
import { withoutLastTurn } from './undo-turn.ts'

/** What an agent gives each of its sessions. */
export interface SessionConfig {
  readonly runtime: AgentRuntime
  readonly store: AgentSessionStore | undefined
  readonly autosave: AutosaveMode
  readonly redact: Redact | undefined
  readonly listeners: readonly AgentEventListener[]
  readonly compactPolicy: CompactPolicy | undefined
  /** Makes a session of another id out of a record, and installs its memory there. */
  fork(record: AgentSessionSnapshot): Promise<AgentSession>
}

/** The state that a session begins with. */
export type SessionRecord = Omit<AgentSessionSnapshot, 'id' | 'memory'>

/** What of a session's memory is shown outside: changes go through the session, so that its log knows them. */
export type SessionMemory = Pick<AgentMemory, 'getItems' | 'getSummary'> & {
  /** Items and summary, without the injected system message. */
  snapshot(): Promise<MemorySnapshot>
}

/**
 * One conversation: an id, its own memory, its event log, and a loop to run input through. Made by an
 * agent. What changes memory is recorded by exactly one event, and `save` stores what is new.
 *
 * Errors of every method that writes are those of the memory; of every method that saves, those of the store.
 */
export class AgentSession {
  /** The id that the agent was asked for, or made. */
  readonly id: string
  /** What the next model call sees; for reading. */
  readonly memory: SessionMemory
  /** What happened, in order; for reading. */
  readonly eventLog: SessionEventLog
  readonly #config: SessionConfig
  readonly #recorder: Recorder
  readonly #autosave: Autosave
  #metadata: Omit<SessionMetadata, 'updatedAt'>
  #updatedAt: number
  #compact: AgentSessionSnapshot['compact']
  #revision: string | undefined
  #running = false
  /** The newest event that is saved, or being saved. */
  #saved = 0
  readonly #changes = new Turns()

  /** @internal Sessions come from an agent. */
  constructor(id: string, memory: AgentMemory, config: SessionConfig, record: SessionRecord) {
    this.id = id
    this.#config = config
    const { createdAt, updatedAt, attributes } = record.metadata
    this.#metadata = { createdAt, attributes }
    this.#updatedAt = updatedAt
    this.#compact = record.compact
    this.#revision = record.revision
    this.eventLog = new SessionEventLog(record.events)
    const redaction = new Redaction(config.redact)
    const publisher = new EventPublisher(this.eventLog, id, redaction, config.listeners)
    this.#recorder = new Recorder(memory, publisher)
    this.#autosave = new Autosave(
      config.store ? config.autosave : 'off',
      () => this.#save(),
      (error) => publisher.failed(error, 'save'),
    )
    this.memory = Object.freeze({
      getItems: () => this.#recorder.memory.getItems(),
      getSummary: () => this.#recorder.memory.getSummary(),
      snapshot: () => this.#recorder.snapshot(),
    })
  }

  /** When it was made and last changed, and the user's own attributes; a copy. */
  get metadata(): SessionMetadata {
    return {
      ...this.#metadata,
      attributes: copyJson(this.#metadata.attributes),
      updatedAt: Math.max(this.#updatedAt, this.eventLog.lastAt),
    }
  }

  /** Replaces the attributes; stored by the next save, and not redacted. `NOT_SERIALIZABLE`, `INVALID_ARGUMENT`, `TOO_LARGE`. */
  setAttributes(attributes: JsonObject): void {
    this.#metadata = { ...this.#metadata, attributes: checkAttributes(attributes) }
    this.#updatedAt = Date.now()
  }

  /**
   * Adds `input` and runs the loop until the model makes no more calls. `null` goes on without input, and
   * runs the pending calls that were answered.
   *
   * Errors: `CONFLICT` while another run uses this session, before anything is done, and when the memory
   * was deleted or the session saved by somebody else meanwhile; `PENDING_CALLS` for new input while calls
   * wait (see `onPending`); `LIMIT_EXCEEDED` with `partial: { text, steps, usage }`; `ABORTED` with the
   * signal's reason as `cause`; `MODEL_FAILED`; `INVALID_ARGUMENT` and `NOT_SERIALIZABLE` before
   * anything is written; and those of the memory and the store.
   */
  run(input: AgentInput, options: RunOptions = {}): Promise<AgentResult> {
    return this.#run(input, options)
  }

  /** As `run`, shown while it goes on. The run begins at once; its errors are those of the iteration and of `result`. */
  stream(input: AgentInput, options: RunOptions = {}): AgentStream {
    return agentStream(this.#recorder.publisher, options, (own, onDelta) =>
      this.#run(input, own, onDelta),
    )
  }

  /** Stores what is new since the last save. `INVALID_ARGUMENT` without a session store; `CONFLICT` if somebody else saved meanwhile. */
  async save(): Promise<void> {
    this.#store()
    await this.#autosave.now()
  }

  /** Waits for the saves under way; throws the first error of those made in the background. */
  async flush(): Promise<void> {
    await this.#autosave.flush()
  }

  /** A detached copy. */
  async snapshot(): Promise<AgentSessionSnapshot> {
    return copyJson(await this.#record())
  }

  /**
   * Overwrites the memory with that of a session's snapshot, or with a memory's. Id and log stay; an empty
   * log takes over the snapshot's events. `CONFLICT` while a run uses this session.
   */
  async restore(snapshot: AgentSessionSnapshot | MemorySnapshot): Promise<void> {
    const record = checkRestored(snapshot)
    await this.#alone(async () => {
      const { redaction } = this.#recorder.publisher
      const memory = redaction.snapshot(record.memory, 'SESSION_RESTORED')
      const events = record.events.map((event) => redaction.event(event))
      const compact = record.compact && redaction.apply(record.compact, 'MEMORY_COMPRESS')
      await this.#recorder.recordRestored('restore', async () => {
        await restoreMemory(this.#recorder.memory, memory)
        if (this.eventLog.lastSequence > 0) return
        this.eventLog.takeOver(events)
        this.#compact = compact
      })
    })
  }

  /**
   * Shortens what is finished by `policy` (default: the agent's `compactPolicy`) and answers its result;
   * `undefined` where there was nothing to shorten. Its errors are let through; `CONFLICT` where what it saw
   * changed meanwhile. What is added meanwhile stays.
   */
  async compact(
    policy: CompactPolicy | undefined = this.#config.compactPolicy,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CompactResult | undefined> {
    const { signal } = knownOptions(options, ['signal'])
    if (typeof Object(policy).compact !== 'function') {
      throw wrong('The compaction policy', 'a CompactPolicy (or give the agent one)', policy)
    }
    const result = await this.#recorder.compact(policy as CompactPolicy, { signal }, {})
    await this.#autosave.changed()
    return result
  }

  /**
   * A session of the id `id` with a copy of this one's log and memory, or of what they were when event
   * `until` had happened. `CONFLICT` where there is a session or a memory of that id.
   */
  async fork(
    id: string,
    options: { readonly until?: number | undefined } = {},
  ): Promise<AgentSession> {
    const { until } = knownOptions(options, ['until'])
    if (id === this.id) throw sessionExists(id)
    const record = await this.snapshot()
    if (until === undefined) return this.#config.fork({ ...record, id })
    return this.#config.fork({ ...recordUntil(record, until), id })
  }

  /** Takes the last turn out of memory: the newest user input that is there, and all behind it. Answers whether there was one. */
  async undo(): Promise<boolean> {
    let undone = false
    await this.#alone(() =>
      this.#recorder.recordRestored('undo', async () => {
        const { events } = this.eventLog
        await this.#recorder.update((current) => {
          const items = withoutLastTurn(current.items, events)
          undone = items !== undefined
          return items ? { ...current, items } : current
        })
        return undone
      }),
    )
    return undone
  }

  /** Removes items and summary; the log keeps what happened. */
  async clear(): Promise<void> {
    await this.#alone(() =>
      this.#recorder.recordRestored('clear', () => this.#recorder.memory.clear()),
    )
  }

  /** Puts `output` in the place of the stored output of a call: a corrected result, or a short one. `NOT_FOUND`. */
  async replaceToolOutput(callId: string, output: string | readonly AgentItem[]): Promise<void> {
    await replaceOutput(this.#recorder, callId, output)
    await this.#autosave.changed()
  }

  /** The calls that have no output and wait for somebody outside, in call order; see `answer`. */
  async pending(): Promise<PendingCall[]> {
    const { items } = await this.#recorder.snapshot()
    const states = callStates(this.eventLog.events)
    const pending = pendingCalls(items, (callId) => stateOfCall(states, callId))
    // While a run goes on, its own calls have no output yet.
    return this.#running ? pending.filter(({ state }) => state === 'waiting') : pending
  }

  /**
   * Answers a pending call; `run(null)` then goes on. A `waiting` call takes `approve`, `reply`, `reject` or
   * `output`; an `unknown` one `rerun`, `reject` or `output`. It is saved before this resolves, unless
   * `autosave` is `off`.
   *
   * Errors: `NOT_FOUND`; `CONFLICT` where it was answered already, and while a run uses this session;
   * `INVALID_ARGUMENT` for an answer that does not fit.
   */
  async answer(callId: string, answer: CallAnswer): Promise<void> {
    const said = checkAnswer(answer)
    const claim = () => this.#autosave.at('claim')
    await this.#alone(
      () => answerCall(this.#recorder, callId, said, claim),
      async () => {},
    )
  }

  /**
   * Drops the events before that sequence number; one `SESSION_RESTORED` with the memory they led to takes
   * their place. Numbering goes on. The transcript then begins there, too.
   */
  async trimEvents(beforeSequence: number): Promise<void> {
    if (!Number.isSafeInteger(beforeSequence)) {
      throw wrong('beforeSequence', 'a sequence number', beforeSequence)
    }
    await this.#alone(async () => {
      const { events } = this.eventLog
      const baseline = baselineOf(events.filter(({ sequence }) => sequence < beforeSequence))
      if (!baseline) return
      this.#compact = foldCompact(events) ?? this.#compact
      this.eventLog.trim(baseline)
    })
  }

  /** @internal Brings log and memory together when a session begins. */
  async begin(reason: 'resume' | 'fork'): Promise<this> {
    const untouched = this.eventLog.lastSequence === 0 && isEmpty(await this.#recorder.snapshot())
    if (!untouched) await this.#recorder.recordRestored(reason)
    if (reason === 'fork') await this.#autosave.changed()
    return this
  }

  async #run(
    input: AgentInput,
    options: RunOptions,
    onDelta?: (delta: AgentDelta) => void,
  ): Promise<AgentResult> {
    this.#refuseBesideRun()
    // Before anything is waited for: the caller may change its own.
    const given = typeof input === 'object' ? cloneJson(input, 'input') : input
    this.#running = true
    const autosave = this.#autosave
    let ended = false
    let lost = false
    try {
      // Changes that were begun before come first.
      await this.#changes.take(() => this.#recorder.settle())
      const host = this.#recorder.forRun({ saved: (point) => autosave.at(point), onDelta })
      const result = await this.#config.runtime.run(host, given, options)
      ended = true
      return result
    } catch (error) {
      lost = isRecord(error) && error['code'] === 'CONFLICT'
      throw error
    } finally {
      this.#running = false
      // Where the run has an error of its own, that is the one to be told; the save's comes at `flush`.
      // RULE deleted stays deleted: a session that somebody else deleted is not saved anew.
      if (!lost && this.#saved !== this.eventLog.lastSequence) {
        if (ended) await autosave.changed()
        else autosave.ended()
      }
    }
  }

  /** Changes memory as a whole, with no run beside it, and one such change after the other. */
  async #alone(change: () => Promise<void>, save = () => this.#autosave.changed()): Promise<void> {
    this.#refuseBesideRun()
    await this.#changes.take(change)
    await save()
  }

  #refuseBesideRun(): void {
    // Before anything is written: what is stored now would be stored again when the caller repeats it.
    this.#autosave.check()
    if (!this.#running) return
    throw new HoldfastError(
      'CONFLICT',
      `Another run is using session ${show(this.id)}; wait for its end.`,
      { outcome: 'not-committed' },
    )
  }

  #store(): AgentSessionStore {
    const { store } = this.#config
    if (!store) throw invalid('The agent has no sessionStore; give it one to save sessions.')
    return store
  }

  async #save(): Promise<void> {
    this.#saved = this.eventLog.lastSequence
    try {
      const { revision } = await this.#store().save(await this.#record())
      this.#revision = revision
    } catch (error) {
      this.#saved = 0
      throw error
    }
  }

  /** Not detached: the events are the log's own, which are frozen. */
  async #record(): Promise<AgentSessionSnapshot> {
    // The events first: a memory that is newer than its log is put right at resume, an older one is a loss.
    const { events } = this.eventLog
    const memory = await this.#recorder.snapshot()
    const last = foldCompact(events) ?? this.#compact
    return {
      id: this.id,
      metadata: this.metadata,
      memory,
      events,
      ...(last && { compact: last }),
      ...(this.#revision !== undefined && { revision: this.#revision }),
    }
  }
}
