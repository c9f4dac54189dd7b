import {
  type AgentSession,
  createAgent,
  InMemoryAgentSessionStore,
  type ModelResult,
  SessionEventProjector,
  userMessage,
} from '@holdfast/core'
import { describe, expect, it } from 'vitest'
import { assistant, call, expectPaired, simpleTool } from '../runtime/support.ts'
import { asking, countingPolicy, durable, expectFold, risky } from './session-support.ts'

/** The same numbers for the same seed. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A model that calls tools by chance, under ids that it says again and again. */
const chanceModel = (below: ReturnType<typeof random>) => ({
  async create(): Promise<ModelResult> {
    const names = ['works', 'works', 'fails', 'asks', 'risky'].filter(() => below(4) === 0)
    const toolCalls = names.map((name, n) => ({ name, callId: `call_${n}`, arguments: '{}' }))
    const text = below(2) ? 'text' : ''
    const items = toolCalls.map(({ name, callId }) => call(name, callId))
    return { memoryItems: [...(text ? [assistant(text)] : []), ...items], toolCalls, text }
  },
})

const tools = [
  simpleTool('works', () => 'x'.repeat(3)),
  simpleTool('fails', () => {
    throw new Error('no')
  }),
  asking('1?', '2?'),
  risky(true),
]

interface World {
  readonly below: ReturnType<typeof random>
  readonly reopen: (id: string) => Promise<AgentSession>
  session: AgentSession
}

const ignore = (code: string) => (error: { code?: string }) => {
  if (error.code !== code) throw error
}

/** One thing that a user may do. */
const STEPS: ((world: World) => Promise<unknown>)[] = [
  ({ session, below }) => session.run(`input ${below(3)}`, { onPending: 'close' }),
  ({ session }) => session.run('refused, perhaps').catch(ignore('PENDING_CALLS')),
  ({ session }) => session.run(null),
  ({ session, below }) =>
    session
      .run([userMessage('a'), userMessage(`${below(2)}`)], { onPending: 'close', maxSteps: 1 })
      .catch(ignore('LIMIT_EXCEEDED')),
  async ({ session, below }) => {
    const [one] = await session.pending()
    if (!one) return
    const runs = one.request === undefined ? { approve: true } : { reply: below(9) }
    const waiting = [{ approve: true }, runs, { reject: 'no' }, { output: 'mine' }]
    const unknown = [{ rerun: true }, { reject: 'no' }, { output: 'mine' }]
    const kinds = one.state === 'waiting' ? waiting : unknown
    await session.answer(one.callId, kinds[below(kinds.length)] as never)
  },
  ({ session }) => session.compact(countingPolicy()),
  ({ session }) =>
    Promise.allSettled([
      session.compact(countingPolicy()),
      session.run('beside', { onPending: 'close' }),
    ]),
  ({ session, below }) =>
    session.replaceToolOutput(`call_${below(2)}`, 'short').catch(ignore('NOT_FOUND')),
  ({ session }) => session.undo(),
  ({ session, below }) => (below(3) ? session.undo() : session.clear()),
  async ({ session }) => {
    const before = await session.snapshot()
    await session.undo()
    await session.restore(before)
  },
  ({ session, below }) => session.trimEvents(session.eventLog.lastSequence - below(20)),
  async (world) => {
    const { session, below } = world
    const { events } = session.eventLog
    const before = await session.memory.snapshot()
    const until = below(2) ? undefined : events[below(events.length)]?.sequence
    world.session = await session.fork(`fork ${session.eventLog.lastSequence} ${Math.random()}`, {
      until,
    })
    await world.session.run('in the fork', { onPending: 'close' })
    expect(await session.memory.snapshot()).toEqual(before)
    if (until !== undefined) {
      expect(SessionEventProjector.deriveSnapshot(events, { until })).toEqual(
        SessionEventProjector.deriveSnapshot(world.session.eventLog.events, { until }),
      )
    }
  },
  async (world) => {
    const { session } = world
    const [memory, pending] = [await session.memory.snapshot(), await session.pending()]
    await session.save()
    await session.flush().catch(() => {})
    world.session = await world.reopen(session.id)
    expect(await world.session.memory.snapshot()).toEqual(memory)
    expect(await world.session.pending()).toEqual(pending)
    const { lastSequence } = session.eventLog
    // Of a session that never did anything there is nothing to tell.
    expect(world.session.eventLog.lastSequence).toBe(lastSequence && lastSequence + 1)
  },
]

async function play(seed: number, stored: boolean): Promise<void> {
  const below = random(seed)
  const sessionStore = new InMemoryAgentSessionStore()
  const { open } = durable()
  const agent = () =>
    createAgent({
      modelClient: chanceModel(below),
      model: 'm',
      tools,
      autosave: 'off',
      ...(stored ? open().stores : { sessionStore }),
    })
  const world: World = {
    below,
    session: await agent().newSession({ id: `seed ${seed}` }),
    reopen: (id) => agent().resumeSession(id),
  }
  for (let count = 4 + below(10); count > 0; count--) {
    await STEPS[below(STEPS.length)]?.(world)
    await expectFold(world.session)
  }
  // Whatever still waits can be closed, and then all is paired.
  const { session } = world
  await session.run('the end', { onPending: 'close' })
  while ((await session.pending()).length > 0) await session.run('close', { onPending: 'close' })
  const { items } = await expectFold(session)
  expectPaired(items)
}

describe('after any mix of operations', () => {
  const seeds = 150
  it.each([
    ['a memory in the process', false],
    ['a stored memory', true],
  ])(
    `folding the log gives the memory, and resuming changes nothing: ${seeds} sequences over %s`,
    async (_, stored) => {
      for (let seed = 1; seed <= seeds; seed++) {
        await play(seed, stored).catch((error: unknown) => {
          throw new Error(`seed ${seed} (stored: ${stored})`, { cause: error })
        })
      }
    },
  )
})
