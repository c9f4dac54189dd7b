import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type {
  AgentDelta,
  CallState,
  RunHost,
  RunPlace,
  SavePoint,
} from '../contracts/agent-runtime.ts'
import type { CompactPolicy, CompactResult } from '../contracts/compaction.ts'
import type { AgentEventType } from '../contracts/events.ts'
import { type AgentItem, functionCallOutput, type JsonObject } from '../contracts/item.ts'
import { isRecord } from '../json.ts'
import {
  type Memory,
  sameSnapshot,
  snapshotOfMemory,
  updateMemory,
} from '../memory/memory-access.ts'
import { memoryKey } from '../memory/memory-key.ts'
import { Turns } from '../turns.ts'
import { compactMemory } from './compact-memory.ts'
import type { EventPublisher } from './event-publisher.ts'
import { callStates, stateOfCall } from './pending-calls.ts'
import { checkOutput } from './replace-output.ts'
import { SessionEventProjector } from './session-event-projector.ts'

/** What a recorder does for the session around it; a one-off run has none. */
export interface RecorderOptions {
  readonly saved?: (point: SavePoint) => Promise<void>
  readonly onDelta?: ((delta: AgentDelta) => void) | undefined
}

/** What every recorder of one session shares. */
interface Order {
  readonly turns: Turns
  /** True after a write of which nobody knows what became. */
  doubtful: boolean
}

const asPayload = (value: object) => value as JsonObject

/**
 * The one way in which runs and sessions change a memory: the redacted value goes to the memory, and the
 * event of it into the log. Writes begin in call order, each at once (what is stored early survives a kill),
 * and their events follow in the same order, so folding the log gives the memory.
 */
export class Recorder implements RunHost {
  readonly memory: Memory
  readonly key: object
  readonly publisher: EventPublisher
  readonly onDelta: ((delta: AgentDelta) => void) | undefined
  readonly #saved: ((point: SavePoint) => Promise<void>) | undefined
  readonly #order: Order

  /** RULE deleted stays deleted: its memory ends with the life that it sees first. */
  constructor(
    memory: Memory,
    publisher: EventPublisher,
    options: RecorderOptions = {},
    order: Order = { turns: new Turns(), doubtful: false },
    key: object = memoryKey(memory),
  ) {
    this.memory = (memory.pin?.() ?? memory) as Memory
    this.key = key
    this.publisher = publisher
    this.onDelta = options.onDelta
    this.#saved = options.saved
    this.#order = order
  }

  /** As this one, for a single run. */
  forRun(options: RecorderOptions): Recorder {
    return new Recorder(this.memory, this.publisher, options, this.#order, this.key)
  }

  get sessionId(): string | undefined {
    return this.publisher.sessionId
  }

  async addUserInput(items: readonly AgentItem[], place: RunPlace): Promise<void> {
    const kept = this.#redactItems(items, 'USER_INPUT')
    if (kept.length === 0) return
    await this.#add('USER_INPUT', { items: kept }, place, () => this.memory.addUserInput(kept))
  }

  async addOutputItems(items: readonly AgentItem[], place: RunPlace): Promise<void> {
    const type = 'MEMORY_ITEMS_APPENDED'
    const kept = this.#redactItems(items, type)
    if (kept.length === 0) return
    await this.#add(type, { items: kept }, place, () => this.memory.addOutputItems(kept))
  }

  async addToolOutput(
    call: { readonly callId: string; readonly name: string },
    output: string | readonly AgentItem[],
    about: { readonly ok: boolean; readonly error?: string | undefined },
    place: RunPlace,
  ): Promise<void> {
    const payload = this.resultPayload(call, output, about)
    await this.#add('TOOL_RESULT', payload, place, () =>
      this.memory.addToolOutput(call.callId, payload.output),
    )
  }

  /** What is recorded of an output, redacted; `output` is what memory gets. */
  resultPayload(
    { callId, name }: { readonly callId: string; readonly name: string },
    output: string | readonly AgentItem[],
    { ok, error }: { readonly ok: boolean; readonly error?: string | undefined },
  ) {
    const kept = (text: typeof output) => this.redactOutput(callId, text, 'TOOL_RESULT')
    // Shown to `redact` as an output is: it says the same.
    const about = error !== undefined && { error: kept(error) }
    return { callId, name, output: kept(output), ok, ...about }
  }

  redactOutput(
    callId: string,
    output: string | readonly AgentItem[],
    type: AgentEventType,
  ): string | readonly AgentItem[] {
    const item = this.publisher.redaction.apply(functionCallOutput(callId, output), type)
    return checkOutput(item['output'])
  }

  /** Changes memory as a whole; `payloadOf` makes the event out of what is installed. */
  async change(
    type: AgentEventType,
    change: (current: MemorySnapshot) => MemorySnapshot,
    payloadOf: (installed: MemorySnapshot) => object,
    place: RunPlace = {},
  ): Promise<void> {
    const writing = start(() => updateMemory(this.memory, change))
    await this.#order.turns.take(async () => {
      const installed = await writing.catch((error) => this.#doubt(error))
      this.publisher.record(type, asPayload(payloadOf(installed)), place)
    })
  }

  /** As `change`, with an event that is known before and a write that need be no update. */
  async #add(
    type: AgentEventType,
    payload: object,
    place: RunPlace,
    write: () => Promise<void>,
  ): Promise<void> {
    const writing = start(write)
    await this.#order.turns.take(async () => {
      try {
        await writing
      } catch (error) {
        // Stored, though its compression failed: so it is recorded.
        if (outcomeOf(error) !== 'committed') this.#doubt(error)
        this.publisher.record(type, asPayload(payload), place)
        throw error
      }
      this.publisher.record(type, asPayload(payload), place)
    })
  }

  update(change: (current: MemorySnapshot) => MemorySnapshot): Promise<MemorySnapshot> {
    return updateMemory(this.memory, change)
  }

  /** The one funnel of `SESSION_RESTORED`: records what memory holds after `write`, unless that answers false. */
  async recordRestored(
    reason: string,
    write: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    const writing = start(write)
    await this.#order.turns.take(async () => {
      if ((await writing.catch((error) => this.#doubt(error))) === false) return
      // Until it is read, nobody knows what was written.
      this.#order.doubtful = true
      const memory = await this.snapshot()
      const fold = SessionEventProjector.deriveSnapshot(this.publisher.log.events)
      const payload = sameSnapshot(memory, fold)
        ? { reason, unchanged: true }
        : { reason, ...memory }
      this.#order.doubtful = false
      this.publisher.record('SESSION_RESTORED', asPayload(payload))
    })
  }

  /** After a write of which nobody knows what became, the log is put right before anything else. */
  async settle(): Promise<void> {
    if (this.#order.doubtful) await this.recordRestored('repair')
  }

  compact(
    policy: CompactPolicy,
    options: { readonly signal?: AbortSignal | undefined },
    place: RunPlace,
  ): Promise<CompactResult | undefined> {
    return compactMemory(this, policy, options, place)
  }

  snapshot(): Promise<MemorySnapshot> {
    return snapshotOfMemory(this.memory)
  }

  publish(type: AgentEventType, payload: JsonObject, place: RunPlace): void {
    this.publisher.publish(type, payload, place)
  }

  callState(callId: string): CallState {
    return stateOfCall(callStates(this.publisher.log.events), callId)
  }

  async saved(point: SavePoint): Promise<void> {
    await this.#saved?.(point)
  }

  #redactItems(items: readonly AgentItem[], type: AgentEventType): AgentItem[] {
    return this.publisher.redaction.items(items, type)
  }

  #doubt(error: unknown): never {
    if (outcomeOf(error) !== 'not-committed') this.#order.doubtful = true
    throw error
  }
}

/** At once, up to its first pause: memory applies calls in the order in which they are made. */
function start<T>(write: () => Promise<T>): Promise<T> {
  const writing = (async () => write())()
  // It is looked at in its turn.
  writing.catch(() => {})
  return writing
}

const outcomeOf = (error: unknown) => (isRecord(error) ? error['outcome'] : undefined)
