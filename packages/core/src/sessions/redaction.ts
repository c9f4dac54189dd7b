import type { MemorySnapshot } from '../contracts/agent-memory.ts'
import type { AgentEventType, Redact } from '../contracts/events.ts'
import type { AgentItem, JsonObject } from '../contracts/item.ts'
import { HoldfastError, kindOf } from '../errors.ts'
import { cloneJson, isRecord } from '../json.ts'

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
    let answer: unknown
    try {
      answer = this.#redact(cloneJson(given as JsonObject, 'value'), type)
      if (!isRecord(answer)) throw new TypeError(`redact answered ${kindOf(answer)}.`)
      const kept: Record<string, unknown> = { ...answer }
      for (const key of KEPT) {
        if (Object.hasOwn(given, key)) kept[key] = given[key]
        else delete kept[key]
      }
      return cloneJson(kept, 'The answer of redact') as T
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
}
