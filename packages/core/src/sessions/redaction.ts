import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentEvent, AgentEventType, Redact } from '../contracts/events.ts'
import { type AgentItem, functionCallOutput, type JsonObject } from '../contracts/item.ts'
import { HoldfastError, kindOf } from '../errors.ts'
import { cloneJson, isRecord, WRAPPED_DEPTH } from '../json.ts'
import { isPromise } from '../memory/compression.ts'

/** What `redact` may not change: the fold and the pairing of calls stand on it. */
const KEPT = ['type', 'call_id', 'callId']

/** Runs the user's `redact` over everything that is about to be stored. */
export class Redaction {
  readonly #redact: Redact | undefined

  constructor(redact: Redact | undefined) {
    this.#redact = redact
  }

  /** `value` as it may be stored; `INVALID_ARGUMENT` where `redact` fails. */
  apply<T extends object>(value: T, type: AgentEventType): T {
    if (!this.#redact) return value
    const given = value as Record<string, unknown>
    try {
      const answer: unknown = this.#redact(
        cloneJson(given as JsonObject, 'value', WRAPPED_DEPTH),
        type,
      )
      // What is refused may still reject: that must not end the process.
      if (isPromise(answer)) Promise.resolve(answer).catch(() => {})
      const kept = cloneJson(answer, 'The answer of redact', WRAPPED_DEPTH)
      if (!isRecord(kept)) throw new TypeError(`redact answered ${kindOf(kept)}.`)
      for (const key of KEPT) {
        if (Object.hasOwn(given, key)) kept[key] = given[key]
        else delete kept[key]
      }
      return kept as T
    } catch (cause) {
      throw new HoldfastError(
        'INVALID_ARGUMENT',
        `redact must answer a JSON object for each ${type}, and failed (see the cause); nothing was stored.`,
        { cause, outcome: 'not-committed' },
      )
    }
  }

  items(items: readonly AgentItem[], type: AgentEventType): AgentItem[] {
    return items.map((item) => this.apply(item, type))
  }

  snapshot({ items, summary }: MemorySnapshot, type: AgentEventType): MemorySnapshot {
    const kept = { items: this.items(items, type) }
    if (summary === undefined) return kept
    const text = this.apply({ summary }, type).summary
    return { ...kept, summary: typeof text === 'string' ? text : '' }
  }

  /** An event that was recorded elsewhere, as it would have been recorded here. */
  event(event: AgentEvent): AgentEvent {
    if (!this.#redact) return event
    const { type } = event
    const { items, summary, memory, output, error, ...rest } = event.payload as Recorded
    const text = (shown: NonNullable<typeof output>) =>
      this.apply(functionCallOutput(String(rest.callId), shown), type)['output']
    let kept: object | undefined
    if (Array.isArray(items)) kept = this.snapshot({ items, summary }, type)
    else if (type === 'TOOL_RESULT' || type === 'TOOL_OUTPUT_REPLACED') {
      kept = { output: text(output ?? ''), ...(error !== undefined && { error: text(error) }) }
    } else if (memory) {
      const installed = this.snapshot(memory, type)
      kept = { summary: installed.summary, memory: installed }
    }
    const payload = kept ? { ...this.apply(rest, type), ...kept } : this.apply(event.payload, type)
    return { ...event, payload: payload as unknown as JsonObject }
  }
}

/** The parts of payloads that hold what memory holds; see `AgentEventType`. */
interface Recorded extends Partial<MemorySnapshot> {
  readonly memory?: MemorySnapshot
  readonly output?: string | readonly AgentItem[]
  readonly error?: string
  readonly callId?: string
}
