import { describe, expect, it } from 'vitest'
import { functionCallOutput, userMessage } from '../../src/contracts/item.ts'
import { aesGcm } from '../../src/encryption.ts'
import type {
  AgentEvent,
  AgentItem,
  AgentSessionSnapshot,
  AgentSessionStore,
  MemorySnapshot,
} from '../../src/index.ts'
import { InMemoryAgentSessionStore } from '../../src/sessions/in-memory-agent-session-store.ts'
import { SessionEventProjector } from '../../src/sessions/session-event-projector.ts'
import { MemoryDriver } from '../../src/storage/memory-driver.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { compaction, event, sessionOf, trimmed } from './support.ts'

/** Numbers from 0 up to 1 that a seed repeats (a linear congruential generator). */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const IDS = ['a', 'A', 'a:b', '\u{1F600}']

/** What happens to one store in a random sequence; every answer and error is recorded. */
class Walk {
  readonly #roll: (sides: number) => number
  readonly #store: () => AgentSessionStore
  /** Loaded states that somebody still holds, stale ones too. */
  readonly #held: AgentSessionSnapshot[] = []
  /** Revisions by the order in which they were first seen: each store has names of its own. */
  readonly #names = new Map<string, string>()

  constructor(seed: number, store: () => AgentSessionStore) {
    this.#roll = dice(seed)
    this.#store = store
  }

  async step(): Promise<string> {
    try {
      const answer = await this.#act()
      return JSON.stringify(answer ?? null, (key, value) =>
        key === 'revision' ? this.#name(value) : value,
      )
    } catch (error) {
      const { code, outcome, message } = error as {
        code?: string
        outcome?: string
        message: string
      }
      return `${code ?? message} ${outcome}`
    }
  }

  #name(revision: string): string {
    const known = this.#names.get(revision)
    if (known) return known
    const name = `r${this.#names.size}`
    this.#names.set(revision, name)
    return name
  }

  async #act(): Promise<unknown> {
    const store = this.#store()
    const id = this.#pick(IDS) as string
    const kind = this.#roll(20)
    if (kind === 0) return store.delete(id)
    if (kind === 1) return store.listSessions({ limit: 1 + this.#roll(4), after: this.#pick(IDS) })
    if (kind === 2) return store.listSessionIds()
    if (kind < 6) return this.#hold(await store.load(id))
    const base = kind < 10 ? this.#pick(this.#held) : await store.load(id)
    const next = this.#changed(base ?? sessionOf(id, []))
    const answer = await store.save(next)
    this.#hold({ ...next, ...answer })
    return [answer, await store.load(next.id)]
  }

  #hold(snapshot: AgentSessionSnapshot | undefined): AgentSessionSnapshot | undefined {
    if (snapshot) this.#held.push(snapshot)
    if (this.#held.length > 4) this.#held.shift()
    return snapshot
  }

  #changed(base: AgentSessionSnapshot): AgentSessionSnapshot {
    const events = [...base.events]
    for (let count = this.#roll(4); count > 0; count--) {
      events.push(this.#event((events.at(-1)?.sequence ?? 0) + 1 + this.#roll(2)))
    }
    let next: AgentSessionSnapshot = { ...base, events }
    const last = events.at(-1)?.sequence ?? 0
    if (this.#roll(8) === 0) next = trimmed(next, 1 + this.#roll(last + 1))
    if (this.#roll(12) === 0) next = { ...next, events: next.events.slice(this.#roll(3)) }
    const fold = SessionEventProjector.deriveSnapshot(next.events)
    const memory = this.#memory(fold, base.memory)
    const { compact: _, ...bare } = next
    const derived = SessionEventProjector.deriveCompact(next.events)
    const compact = this.#pick([derived, derived, undefined, compaction])
    const metadata = { ...base.metadata, attributes: { n: this.#roll(100), t: '\ud800"' } }
    return { ...bare, memory, metadata, ...(compact && { compact }) }
  }

  #memory(fold: MemorySnapshot, before: MemorySnapshot): MemorySnapshot {
    const { items } = fold
    const some = this.#roll(items.length + 1)
    return this.#pick<MemorySnapshot>([
      fold,
      fold,
      fold,
      before,
      { items: items.slice(-3) },
      { items: items.slice(some), summary: 'compacted' },
      { ...fold, items: [...items.slice(0, some), this.#item(), ...items.slice(some + 1)] },
      { items: [...items, this.#item()] },
      { items: [], summary: '' },
    ]) as MemorySnapshot
  }

  #item(): AgentItem {
    return this.#pick([userMessage(`m${this.#roll(3)}`), functionCallOutput('c', 'o')]) as AgentItem
  }

  #event(sequence: number): AgentEvent {
    const items = Array.from({ length: this.#roll(3) }, () => this.#item())
    const summary = this.#pick([{}, { summary: 's' }])
    const [type, payload] = this.#pick<[string, unknown]>([
      ['USER_INPUT', { items }],
      ['MEMORY_ITEMS_APPENDED', { items }],
      ['TOOL_RESULT', { callId: 'c', name: 'f', output: `o${sequence}`, ok: true }],
      ['TOOL_OUTPUT_REPLACED', { callId: 'c', output: 'new' }],
      ['MEMORY_COMPRESS', { ...compaction, memory: { items, ...summary } }],
      ['MEMORY_COMPRESS', { report: {} }],
      ['SESSION_RESTORED', { reason: 'undo', items, ...summary }],
      ['SESSION_RESTORED', { reason: 'resume', unchanged: true }],
      ['STEP_START', {}],
    ]) as [string, unknown]
    return event(sequence, type, payload)
  }

  #pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.#roll(choices.length)]
  }
}

const encryption = aesGcm(new Uint8Array(16))

const OPEN: Record<string, () => () => AgentSessionStore> = {
  'in one process': () => {
    const store = createStorage(new MemoryDriver()).sessions()
    return () => store
  },
  'two processes in turns, encrypted': () => {
    const driver = new MemoryDriver()
    const stores = [0, 1].map(() => createStorage(driver, { encryption }).sessions())
    let calls = 0
    return () => stores[calls++ % 2] as AgentSessionStore
  },
  'without append, another store each time': () => {
    const { read, replace, list } = methods(new MemoryDriver())
    const storage = createStorage({ read, replace, list })
    return () => storage.sessions()
  },
}

const methods = (driver: MemoryDriver) => ({
  read: driver.read.bind(driver),
  replace: driver.replace.bind(driver),
  list: driver.list.bind(driver),
})

describe('a durable session store does what the in-memory one does', () => {
  for (const [name, open] of Object.entries(OPEN)) {
    it(`in 40 random sequences of 60 steps: ${name}`, async () => {
      const seen = new Set<string>()
      for (let run = 0; run < 40; run++) {
        const seed = Number(process.env['HOLDFAST_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
        const model = new InMemoryAgentSessionStore()
        const one = new Walk(seed, () => model)
        const other = new Walk(seed, open())
        for (let step = 0; step < 60; step++) {
          const expected = await one.step()
          expect(await other.step(), `HOLDFAST_SEED=${seed}, step ${step}`).toBe(expected)
          seen.add(expected.slice(0, 8))
        }
      }
      // Conflicts and successes both were among them.
      expect(seen).toContain('CONFLICT')
      expect([...seen].some((answer) => answer.startsWith('[{"rev'))).toBe(true)
    }, 60_000)
  }
})
