import {
  type AgentOptions,
  type AgentSession,
  type AutosaveMode,
  createAgent,
  createStorage,
  MemoryDriver,
  type ModelClient,
  type ModelResult,
  type SessionDriver,
  tool,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { ANY_OBJECT, assistant, call, deferred, expectPaired, never } from '../runtime/support.ts'
import { expectFold } from './session-support.ts'

const BATCHES = [['a', 'b', 'c'], ['d', 'e'], ['f']]

/** These need an approval. */
const RISKY = ['c', 'f']

interface Kind {
  readonly autosave: AutosaveMode
  readonly stored: boolean
  /** The k-th act of anything never happens, or has happened and is never answered. */
  readonly when: 'before' | 'after'
}

/** What happens outside of the processes, and what they share. */
class World {
  readonly driver = new MemoryDriver()
  readonly ran: string[] = []
  readonly #kind: Kind

  constructor(kind: Kind) {
    this.#kind = kind
  }

  /** A process that dies at its `k`-th act. */
  process(k = Number.POSITIVE_INFINITY) {
    let acts = 0
    const dead = deferred<'dead'>()
    const act = async <T>(perform: () => T | Promise<T>): Promise<T> => {
      acts++
      if (acts > k || (acts === k && this.#kind.when === 'before')) return die()
      const answer = await perform()
      return acts >= k ? die() : answer
    }
    const die = () => {
      dead.resolve('dead')
      return never<never>()
    }
    const { driver } = this
    const mortal: SessionDriver = {
      read: (...args) => act(() => driver.read(...args)),
      replace: (...args) => act(() => driver.replace(...args)),
      append: (...args) => act(() => driver.append(...args)),
      list: (...args) => driver.list(...args),
    }
    const storage = createStorage(mortal)
    const tools = BATCHES.flat().map((name) =>
      tool({
        name,
        description: '',
        parameters: ANY_OBJECT,
        needsApproval: RISKY.includes(name),
        execute: () =>
          act(() => {
            this.ran.push(name)
            return `${name} ran`
          }),
      }),
    )
    const options: AgentOptions = {
      modelClient: { create: ({ items }) => act(() => answerTo(items)) } as ModelClient,
      model: 'm',
      tools,
      sessionStore: storage.sessions(),
      autosave: this.#kind.autosave,
      ...(this.#kind.stored && { memorySupplier: (id: string) => storage.memory(id) }),
    }
    return { agent: createAgent(options), acts: () => acts, dead: dead.promise }
  }
}

/** Calls the first batch that the prompt does not hold; the prompt must be well paired. */
function answerTo(items: Parameters<typeof expectPaired>[0]): ModelResult {
  expectPaired(items)
  const made = new Set(items.map((item) => item['call_id']))
  const next = BATCHES.find(([first]) => !made.has(first))
  if (!next) return { memoryItems: [assistant('done')], toolCalls: [], text: 'done' }
  return {
    memoryItems: next.map((name) => call(name, name)),
    toolCalls: next.map((name) => ({ callId: name, name, arguments: '{}' })),
    text: '',
  }
}

/** Goes on until it is done; answers which calls had to be run again. */
async function goOn(session: AgentSession): Promise<string[]> {
  const again: string[] = []
  const { items } = await session.memory.snapshot()
  let result = items.length === 0 ? await session.run('Hi') : undefined
  while (result?.status !== 'completed') {
    for (const { callId, state } of await session.pending()) {
      if (state === 'unknown') again.push(callId)
      await session.answer(callId, state === 'unknown' ? { rerun: true } : { approve: true })
    }
    result = await session.run(null)
  }
  return again
}

const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).sort()

/** Answers how many acts the first process did. */
async function killedAt(k: number, kind: Kind): Promise<number> {
  const world = new World(kind)
  const first = world.process(k)
  const run = async () => {
    const session = await first.agent.session('s')
    expect(await goOn(session)).toEqual([])
    await session.flush()
    return 'done'
  }
  const ended = await Promise.race([run(), first.dead])
  expect(ended).toBe(k > first.acts() ? 'done' : 'dead')
  const second = await world.process().agent.session('s')
  const before = [...world.ran]
  const again =
    (await second.memory.getItems()).at(-1)?.['role'] === 'assistant' ? [] : await goOn(second)
  const { items } = await expectFold(second)
  const whole = new World(kind)
  const unkilled = await whole.process().agent.session('s')
  await goOn(unkilled)
  expect(sorted(items)).toEqual(sorted(await unkilled.memory.getItems()))
  for (const name of BATCHES.flat()) {
    const times = world.ran.filter((one) => one === name).length
    const most = before.includes(name) && again.includes(name) ? 2 : 1
    expect([name, times]).toEqual([name, most])
  }
  // What was saved last is what a third process finds.
  await second.save()
  const third = await world.process().agent.session('s')
  expect(sorted(await third.memory.getItems())).toEqual(sorted(items))
  return first.acts()
}

describe.each<Kind>([
  { stored: true, autosave: 'step', when: 'before' },
  { stored: true, autosave: 'step', when: 'after' },
  { stored: true, autosave: 'off', when: 'after' },
  { stored: false, autosave: 'sync', when: 'before' },
  { stored: false, autosave: 'sync', when: 'after' },
])('a process that dies $when an act (memory stored: $stored, autosave $autosave)', (kind) => {
  it('leaves what another one brings to the same end, at every act; no tool runs twice unasked', async () => {
    const total = await killedAt(10_000, kind)
    expect(total).toBeGreaterThan(20)
    for (let k = 1; k <= total; k++) {
      await killedAt(k, kind).catch((error: unknown) => {
        throw new Error(`act ${k} of ${total}`, { cause: error })
      })
    }
  })
})
