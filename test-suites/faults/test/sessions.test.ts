import { type AgentMemory, type AgentSessionStore, InMemoryAgentMemory } from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { freshSeed } from '../src/random.ts'
import { runSequences, sequencesText } from '../src/sessions/run-sequences.ts'
import type { Sabotage } from '../src/sessions/session-world.ts'

/** `npm run sessions` has 2,000. `HOLDFAST_SESSIONS_SEED` replays a seed. */
const SEQUENCES = 300

describe('random sequences of session operations', () => {
  it(`${SEQUENCES}: the events fold to the memory, a resumed session is one that never stopped, forks stay apart, prompts are paired`, async () => {
    const seed = Number(process.env['HOLDFAST_SESSIONS_SEED'] ?? freshSeed())
    const report = await runSequences(seed, SEQUENCES)
    console.log(`seed ${seed}: ${sequencesText(report)}`)
    expect(report.failures, `npm run sessions -- --seed ${seed}`).toEqual([])
    for (const type of ['run', 'answer', 'resume', 'fork', 'restore', 'crash', 'trim']) {
      expect(report.byType[type], type).toBeGreaterThan(0)
    }
    expect(report.interrupted).toBeGreaterThan(0)
  }, 300_000)
})

/** Sequences that could not fail would show nothing. */
describe('sequences over something broken', () => {
  const failuresOf = async (sabotage: Sabotage) =>
    (await runSequences(1, 60, sabotage)).failures.join('\n')

  const storing = (change: Partial<AgentSessionStore>) => (store: AgentSessionStore) => ({
    save: (snapshot: Parameters<AgentSessionStore['save']>[0]) => store.save(snapshot),
    load: (id: string) => store.load(id),
    delete: (id: string) => store.delete(id),
    listSessionIds: () => store.listSessionIds(),
    listSessions: (query?: Parameters<AgentSessionStore['listSessions']>[0]) =>
      store.listSessions(query),
    ...change,
  })

  it('a store that forgets what the last compaction said', async () => {
    const store = (real: AgentSessionStore) =>
      storing({
        async load(id) {
          const record = await real.load(id)
          return (
            record && {
              ...record,
              events: record.events.filter(({ type }) => type !== 'MEMORY_COMPRESS'),
            }
          )
        },
      })(real)
    expect(await failuresOf({ store })).toMatch(/the twin of|log was rewritten|CONFLICT/)
  })

  it('a store that loses the newest event', async () => {
    const store = (real: AgentSessionStore) =>
      storing({
        save: (snapshot) => real.save({ ...snapshot, events: snapshot.events.slice(0, -1) }),
      })(real)
    expect(await failuresOf({ store })).toMatch(/sequence/)
  })

  it('a store that lets a stale session save', async () => {
    const store = (real: AgentSessionStore) =>
      storing({
        async save(snapshot) {
          const { revision: _, ...rest } = snapshot
          const now = (await real.load(snapshot.id))?.revision
          if (now === undefined) return real.save(snapshot)
          await real.delete(snapshot.id)
          return real.save(rest)
        },
      })(real)
    expect(await failuresOf({ store })).toMatch(/a save of the session that was left behind/)
  })

  it('a memory that writes an output twice', async () => {
    class Twice extends InMemoryAgentMemory {
      override async addToolOutput(...given: Parameters<AgentMemory['addToolOutput']>) {
        await super.addToolOutput(...given)
        await super.addToolOutput(...given)
      }
    }
    const memory = (real: AgentMemory) => (real instanceof InMemoryAgentMemory ? new Twice() : real)
    expect(await failuresOf({ memory })).toMatch(/fold of the events is not the memory/)
  })

  it('memories that share their items', async () => {
    const shared = new InMemoryAgentMemory()
    class Shared extends InMemoryAgentMemory {
      override addUserInput(input: Parameters<AgentMemory['addUserInput']>[0]) {
        return Promise.all([super.addUserInput(input), shared.addUserInput(input)]).then(() => {})
      }
      override snapshot() {
        return shared.snapshot()
      }
    }
    const memory = (real: AgentMemory) =>
      real instanceof InMemoryAgentMemory ? new Shared() : real
    expect(await failuresOf({ memory })).not.toBe('')
  })
})
