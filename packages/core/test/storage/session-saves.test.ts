import { describe, expect, it } from 'vitest'
import { functionCallOutput, userMessage } from '../../src/contracts/item.ts'
import type {
  AgentEvent,
  AgentItem,
  AgentSessionSnapshot,
  JsonObject,
  MemorySnapshot,
} from '../../src/index.ts'
import { SessionEventProjector } from '../../src/sessions/session-event-projector.ts'
import { createStorage } from '../../src/storage/storage.ts'
import { compaction, event, say, sessionOf, trimmed } from '../sessions/support.ts'
import { CountingDriver } from './counting-driver.ts'

/** 500 where it is cheap to check; behind the 64th writer each process is like the one before. */
const turnsOf = (shape: string, process: string) =>
  shape !== 'the fold' ? 120 : process === 'one' ? 500 : 200
const pad = (turn: number) => String(turn).padStart(6, '0')

/** What one turn with a tool call records: 8 events whose bytes are the same in every turn. */
function turnEvents(turn: number): readonly AgentEvent[] {
  const known = turns[turn]
  if (known) return known
  const first = 100_000 + turn * 8
  const callId = `call_${pad(turn)}`
  const call = { type: 'function_call', call_id: callId, name: 'look', arguments: '{"q":"x"}' }
  const facts: [string, unknown][] = [
    ['USER_INPUT', say(`Question ${pad(turn)}: ${'q'.repeat(150)}`)],
    ['STEP_START', {}],
    ['MODEL_REQUEST', { model: 'm', items: 100_000, tools: 1 }],
    ['MODEL_RESPONSE', { usage: { inputTokens: 100, outputTokens: 10 }, calls: 1 }],
    ['MEMORY_ITEMS_APPENDED', { items: [call] }],
    ['TOOL_CALL', { callId, name: 'look', arguments: '{"q":"x"}' }],
    ['TOOL_RESULT', { callId, name: 'look', output: 'o'.repeat(400), ok: true }],
    ['STEP_END', { calls: 1 }],
  ]
  const events = facts.map(([type, payload], index) => frozen(event(first + index, type, payload)))
  turns[turn] = events
  return events
}

const turns: AgentEvent[][] = []

/** As the log of a session has its events. */
function frozen<T extends object>(value: T): T {
  for (const child of Object.values(value)) if (Object(child) === child) frozen(child)
  return Object.freeze(value)
}

const itemsOf = (turn: number): AgentItem[] => [
  ...SessionEventProjector.deriveItems(turnEvents(turn)),
]

type Shape = (snapshot: AgentSessionSnapshot, turn: number) => AgentSessionSnapshot

/** Memories as they stand beside the events after each turn. */
const SHAPES: Record<string, Shape> = {
  'the fold': (snapshot) => snapshot,
  'a window of 40 items': (snapshot) => ({
    ...snapshot,
    memory: { items: snapshot.memory.items.slice(-40) },
  }),
  'compacted by the memory itself every 20 turns, behind a summary': (snapshot, turn) => {
    const kept = 20 * Math.floor(turn / 20) * itemsOf(0).length
    const items = snapshot.memory.items.slice(kept)
    return { ...snapshot, memory: { items, summary: `Up to ${pad(kept)}: ${'s'.repeat(300)}` } }
  },
  'compacted by the session every 20 turns': (snapshot) => snapshot,
}

/** The bytes of each save. */
async function series(
  shape: string,
  process: 'one' | 'new',
  count = turnsOf(shape, process),
): Promise<number[]> {
  const driver = new CountingDriver()
  let storage = createStorage(driver)
  let current = sessionOf('a', [])
  const sizes: number[] = []
  for (let turn = 0; turn < count; turn++) {
    if (process === 'new') {
      storage = createStorage(driver)
      current = (await storage.sessions().load('a')) ?? current
    }
    const events = [...current.events, ...turnEvents(turn)]
    if (shape === 'compacted by the session every 20 turns' && turn % 20 === 19) {
      // In the place of the turn's last event, so that numbers stay as they are.
      const last = events.pop() as AgentEvent
      const memory = { items: [userMessage('kept')], summary: 's'.repeat(300) }
      events.push({ ...last, type: 'MEMORY_COMPRESS', payload: { ...compaction, memory } as never })
    }
    const snapshot = SHAPES[shape]?.(sessionOf('a', events), turn) as AgentSessionSnapshot
    const compact = SessionEventProjector.deriveCompact(events)
    const next = { ...snapshot, ...(compact && { compact }) }
    const { revision: before } = current
    const { revision } = await storage
      .sessions()
      .save(before === undefined ? next : { ...next, revision: before })
    sizes.push(driver.take())
    current = { ...next, revision }
  }
  const { revision: _, ...stored } = (await createStorage(driver).sessions().load('a')) ?? {}
  const { revision: __, ...expected } = current
  expect(stored).toEqual(expected)
  return sizes
}

const mean = (numbers: readonly number[]) =>
  Math.round(numbers.reduce((sum, one) => sum + one, 0) / numbers.length)

describe('bytes written per save', () => {
  for (const shape of Object.keys(SHAPES)) {
    for (const process of ['one', 'new'] as const) {
      const where = process === 'one' ? 'in one process' : 'resumed by a new process each time'
      it(`are flat over ${turnsOf(shape, process)} turns, memory being ${shape}, ${where}`, async () => {
        const sizes = await series(shape, process)
        // Behind the 64th writer a head grows no more.
        const early = mean(sizes.slice(80, 100))
        expect(mean(sizes.slice(-20))).toBeLessThan(early * 1.05)
        expect(Math.max(...sizes.slice(80))).toBeLessThan(early + 3_000)
      }, 60_000)
    }
  }

  it('are those of the new events, and a head of less than 500 bytes', async () => {
    const sizes = await series('the fold', 'one', 20)
    const news = turnEvents(7).reduce((sum, one) => sum + JSON.stringify(one).length, 0)
    for (const size of sizes) expect(size - news).toBeLessThan(500)
  })
})

describe('what a save leaves behind', () => {
  it('is bounded where each save has another memory than the events tell', async () => {
    const driver = new CountingDriver()
    const store = createStorage(driver).sessions()
    let snapshot = sessionOf('a', [event(1, 'STEP_START')])
    for (let n = 0; n < 200; n++) {
      const memory = say(`memory ${n}`)
      const { revision } = await store.save({ ...snapshot, memory })
      snapshot = { ...snapshot, revision }
      const stored = await driver.inner.read('s0:a')
      if (!stored || stored === 'unchanged') throw new Error('nothing is stored')
      expect(stored.entries.length).toBeLessThanOrEqual(18)
      expect((await store.load('a'))?.memory).toEqual(memory)
    }
    // Written anew now and then, not each time.
    expect(driver.replaces).toBeLessThan(20)
  })

  it('is nothing of a memory that is the fold, is so again, or is the same difference', async () => {
    const driver = new CountingDriver()
    const store = createStorage(driver).sessions()
    const entries = async () => {
      const stored = await driver.inner.read('s0:a')
      return stored && stored !== 'unchanged' ? stored.entries : []
    }
    const events = [event(1, 'USER_INPUT', say('a', 'b'))]
    let { revision } = await store.save(sessionOf('a', events))
    expect(await entries()).toHaveLength(1)
    const save = async (rest: Partial<AgentSessionSnapshot>) => {
      revision = (await store.save(sessionOf('a', events, { ...rest, revision }))).revision
    }
    await save({ memory: say('b') })
    expect((await entries()).at(-1)).toBe('["memory",0,[],-1,null]')
    await save({ memory: say('b') })
    events.push(event(2, 'USER_INPUT', say('c')))
    await save({ memory: say('c') })
    expect(await entries()).toHaveLength(3)
    await save({})
    expect((await entries()).at(-1)).toBe('["memory"]')
    events.push(event(3, 'MEMORY_COMPRESS', { ...compaction, memory: say('c') }))
    await save({ compact: compaction })
    expect(await entries()).toHaveLength(5)
    await save({})
    expect((await entries()).at(-1)).toBe('["compact",null]')
    await save({ compact: { ...compaction, files: ['f'] } })
    await save({ compact: compaction })
    expect((await entries()).at(-1)).toBe('["compact"]')
    expect((await store.load('a'))?.compact).toEqual(compaction)
    const length = (await entries()).length
    await save({ compact: compaction })
    expect(await entries()).toHaveLength(length)
  })

  const memories: [string, (items: readonly AgentItem[]) => MemorySnapshot][] = [
    ['a window', (items) => ({ items: items.slice(-3) })],
    ['a window behind a summary', (items) => ({ items: items.slice(-3), summary: 's' })],
    [
      'a window behind pinned items',
      (items) => ({ items: [...items.slice(0, 2), ...items.slice(-3)] }),
    ],
    ['what came after a cut', (items) => ({ items: items.slice(4) })],
    ['what came after a compaction', (items) => ({ items: items.slice(4), summary: 's' })],
    ['all, one item being another', (items) => ({ items: [userMessage('x'), ...items.slice(1)] })],
  ]
  for (const [name, memoryOf] of memories) {
    it(`is two differences at most, whatever comes, where memory is ${name}`, async () => {
      const driver = new CountingDriver()
      const store = createStorage(driver).sessions()
      const events = [event(1, 'USER_INPUT', say('a', 'b', 'c', 'd', 'e', 'f', 'g'))]
      let revision: string | undefined
      for (let n = 2; n < 12; n++) {
        const memory = memoryOf(SessionEventProjector.deriveItems(events))
        const snapshot = sessionOf('a', events, { memory })
        revision = (await store.save(revision === undefined ? snapshot : { ...snapshot, revision }))
          .revision
        expect((await store.load('a'))?.memory).toEqual(memory)
        events.push(event(n, 'USER_INPUT', say(`${n}`)))
      }
      const stored = await driver.inner.read('s0:a')
      expect(stored && stored !== 'unchanged' && stored.entries.length).toBeLessThanOrEqual(12)
    })
  }

  it('is nothing of what was trimmed away', async () => {
    const driver = new CountingDriver()
    const store = createStorage(driver).sessions()
    const events = Array.from({ length: 50 }, (_, n) =>
      event(n + 1, 'TOOL_RESULT', { callId: 'c', output: `secret ${n}` }),
    )
    const { revision } = await store.save(sessionOf('a', events))
    const wrongMemory = say('m') as unknown as JsonObject
    const next = trimmed(sessionOf('a', events, { revision, memory: say('m') }), 51, wrongMemory)
    // The baseline must tell the memory that the events led to.
    await expect(store.save(next)).rejects.toMatchObject({ code: 'CONFLICT' })
    await store.save(trimmed(sessionOf('a', events, { revision }), 41))
    const stored = await driver.inner.read('s0:a')
    expect(stored && stored !== 'unchanged' && stored.entries).toHaveLength(11)
    expect(functionCallOutput('c', 'secret 0')).toEqual((await store.load('a'))?.memory.items[0])
  })
})

describe('reading', () => {
  it('of lists costs the same, whatever the sessions weigh', async () => {
    const cost = async (turns: number) => {
      const driver = new CountingDriver()
      const store = createStorage(driver).sessions()
      const events = Array.from({ length: turns }, (_, turn) => turnEvents(turn)).flat()
      for (let n = 10; n < 20; n++) await store.save(sessionOf(`s${n}`, events))
      driver.answered = 0
      expect((await store.listSessions()).sessions).toHaveLength(10)
      expect(await store.listSessionIds()).toHaveLength(10)
      return driver.answered
    }
    const [one, hundred] = [await cost(1), await cost(100)]
    // A count in the head gets more digits; events would weigh a hundred times as much.
    expect(hundred).toBeLessThan(one * 1.2)
  })

  it('again sees nothing but what is new', async () => {
    const driver = new CountingDriver()
    const [mine, yours] = [createStorage(driver).sessions(), createStorage(driver).sessions()]
    const first = sessionOf('a', turnEvents(1))
    const { revision } = await mine.save(first)
    driver.answered = 0
    await yours.save(sessionOf('a', [...first.events, ...turnEvents(2)], { revision }))
    const whole = driver.answered
    driver.answered = 0
    expect((await mine.load('a'))?.events).toHaveLength(16)
    expect(driver.answered).toBeLessThan(whole * 1.3)
  })
})
