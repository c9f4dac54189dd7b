import assert from 'node:assert/strict'
import {
  type AgentEvent,
  InMemoryAgentMemory,
  type JsonObject,
  StructuredCompactPolicy,
} from '@holdfast/core'
import { textsOf, user } from '../memory/expect.ts'
import { type AgentCase, type AgentHarness, sessionCase } from './agent-harness.ts'
import { calling } from './script.ts'
import { agentTool, assertFold, changesOf, itemsOf, refused, staging } from './session-stage.ts'
import { assertPaired, waitFor } from './stage.ts'

const SECRET = 'sk-7f3a91'

/** Takes the secret out of every text of a value. */
const redact = (value: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(value).replaceAll(SECRET, '[redacted]')) as JsonObject

/** The log, and what changes it. */
export const historyCases: readonly AgentCase[] = [
  sessionCase(
    'redacted-nowhere',
    'a redacted secret reaches neither memory, nor log, nor record, nor listener, wherever it came from',
    async (createAgent) => {
      const heard: AgentEvent[] = []
      const make = staging(createAgent, { redact, listeners: [(event) => heard.push(event)] })
      const { agent, store, script } = make(
        [
          {
            text: `I use ${SECRET}.`,
            ...calling({ name: 'look', id: 'c', args: { key: SECRET } }),
          },
          `Done with ${SECRET}.`,
        ],
        { tools: [agentTool('look', () => `The key ${SECRET} works.`)] },
      )
      const session = await agent.newSession()
      await session.run(`My key is ${SECRET}.`)
      await session.save()
      const places = {
        memory: await session.memory.snapshot(),
        log: session.eventLog.events,
        record: await store.load(session.id),
        'what listeners heard': heard,
        prompts: script.prompts,
      }
      for (const [place, value] of Object.entries(places)) {
        const text = JSON.stringify(value)
        assert.ok(!text.includes(SECRET), `the secret is in ${place}`)
        assert.ok(text.includes('[redacted]'), `nothing of it is in ${place}`)
      }
      await assertFold(session)
    },
  ),
  sessionCase(
    'fork-independent',
    'a fork has the history of its source and shares nothing with it: each goes on alone',
    async (createAgent) => {
      const make = staging(createAgent, { tools: [agentTool('look')] })
      const { agent } = make([calling('look'), 'one', 'of the fork', 'of the source'])
      const source = await agent.newSession({ attributes: { a: { b: 1 } } })
      await source.run('hello')
      const before = await source.snapshot()
      const fork = await source.fork(crypto.randomUUID())
      assert.deepEqual(await itemsOf(fork), before.memory.items)
      assert.deepEqual(fork.eventLog.events.slice(0, before.events.length), before.events)
      assert.deepEqual(
        (await source.snapshot()).events,
        before.events,
        'forking changed the source',
      )
      await fork.run('in the fork')
      assert.deepEqual(await itemsOf(source), before.memory.items)
      await source.run('in the source')
      assert.deepEqual(textsOf(await itemsOf(fork)).slice(-2), ['in the fork', 'of the fork'])
      assert.deepEqual(textsOf(await itemsOf(source)).slice(-2), ['in the source', 'of the source'])
      for (const session of [source, fork]) await assertFold(session)
      await fork.save()
      await refused(source.fork(fork.id), 'CONFLICT')
    },
  ),
  sessionCase(
    'fork-of-the-past',
    'a fork until an event has the memory and the log of that moment',
    async (createAgent) => {
      const make = staging(createAgent)
      const source = await make(['one', 'two']).agent.newSession()
      await source.run('first')
      const until = source.eventLog.lastSequence
      const past = await itemsOf(source)
      await source.run('second')
      const fork = await source.fork(crypto.randomUUID(), { until })
      assert.deepEqual(await itemsOf(fork), past)
      assert.ok(!JSON.stringify(fork.eventLog.events).includes('second'))
      assert.equal((await itemsOf(source)).length, 4)
      await assertFold(fork)
    },
  ),
  sessionCase(
    'fold-is-memory',
    'folding the log gives the memory after every change: run, replace, compact, restore, undo, clear, fork; each is one event',
    async (createAgent) => {
      const make = staging(createAgent, { tools: [agentTool('look')] })
      const session = await make([
        calling('look'),
        'one',
        'two',
        calling('look'),
        'three',
      ]).agent.newSession()
      let known = 0
      const check = async (what: string, changes: readonly string[]) => {
        const memory = await assertFold(session, `the fold behind ${what}`)
        const { events } = session.eventLog
        assert.deepEqual(changesOf(events.slice(known)), changes, `the changes of ${what}`)
        known = events.length
        return memory
      }
      const run = async (text: string) => session.run(text)
      const turn = ['USER_INPUT', 'MEMORY_ITEMS_APPENDED']
      await run('first')
      await check('a run', [...turn, 'TOOL_RESULT', 'MEMORY_ITEMS_APPENDED'])
      await session.replaceToolOutput('id of look', 'shorter')
      const { items } = await check('a replacement', ['TOOL_OUTPUT_REPLACED'])
      assert.ok(JSON.stringify(items).includes('shorter'))
      const saved = await session.snapshot()
      await run('second')
      await check('a run', turn)
      assert.equal(await session.undo(), true)
      assert.deepEqual((await check('an undo', ['SESSION_RESTORED'])).items, saved.memory.items)
      await session.restore(saved)
      known = session.eventLog.events.length
      await assertFold(session, 'the fold behind a restore of the same')
      await session.restore({ items: [user('a'), user('b')], summary: 'S' })
      assert.equal((await check('a restore', ['SESSION_RESTORED'])).summary, 'S')
      await run('third')
      await check('a run with a tool', [...turn, 'TOOL_RESULT', 'MEMORY_ITEMS_APPENDED'])
      assert.ok(
        await session.compact(new StructuredCompactPolicy({ maxItems: 3, keepRecentItems: 1 })),
      )
      await check('a compaction', ['MEMORY_COMPRESS'])
      await assertFold(await session.fork(crypto.randomUUID()), 'the fold of a fork')
      await session.clear()
      assert.deepEqual((await check('a clear', ['SESSION_RESTORED'])).items, [])
      await refused(session.replaceToolOutput('never', 'x'), 'NOT_FOUND')
      await check('a refused replacement', [])
    },
  ),
  sessionCase(
    'report-is-no-rewrite',
    'a prompt that a budget made shorter changes nothing: memory is whole, and the fold is the memory',
    async (createAgent) => {
      const make = staging(createAgent, { budget: { maxItems: 4, maxApproxChars: 900 } })
      const { agent, script } = make(['one', 'two', 'three', 'four', 'five'])
      const session = await agent.newSession()
      for (const text of ['a', 'b', 'c', 'd', 'e']) await session.run(text.repeat(150))
      assert.ok(script.items(5).length <= 4, 'the budget was not kept')
      assert.equal((await itemsOf(session)).length, 10)
      await assertFold(session)
    },
  ),
  sessionCase(
    'listener-that-throws',
    'a listener that throws breaks no run, hides no event from the log, and keeps none from the other listeners',
    async (createAgent) => {
      const heard: AgentEvent[] = []
      const throws = () => {
        throw new Error('the tracer is down')
      }
      const make = staging(createAgent, { listeners: [throws, (event) => heard.push(event)] })
      const session = await make(['one', 'two']).agent.newSession()
      assert.equal((await session.run('first')).text, 'one')
      assert.equal((await session.run('second')).text, 'two')
      const logged = session.eventLog.events.filter(({ type }) => type !== 'ERROR')
      for (const type of ['USER_INPUT', 'MODEL_RESPONSE', 'FINAL_OUTPUT', 'STEP_END']) {
        assert.equal(logged.filter((it) => it.type === type).length, 2, `${type} in the log`)
      }
      const numbers = new Set(heard.map(({ sequence }) => sequence))
      assert.ok(
        logged.every(({ sequence }) => numbers.has(sequence)),
        'an event was not heard',
      )
      await assertFold(session)
    },
  ),
  sessionCase(
    'snapshot-detached',
    'the snapshot of a session, and the events of its log, are copies: changing one changes nothing',
    async (createAgent) => {
      const session = await staging(createAgent)(['one']).agent.newSession({
        attributes: { a: { b: 1 } },
      })
      await session.run('hello')
      const before = JSON.stringify(await session.snapshot())
      const taken = await session.snapshot()
      Object.assign(taken.memory.items[0] ?? {}, { defaced: true })
      Object.assign(taken.metadata.attributes['a'] ?? {}, { defaced: true })
      ;(taken.events as AgentEvent[]).length = 0
      assert.equal(JSON.stringify(await session.snapshot()), before)
    },
  ),
  sessionCase(
    'trimmed-log',
    'a trimmed log keeps the memory that it tells of, goes on, and is saved and resumed as it is',
    async (createAgent) => {
      const make = staging(createAgent)
      const session = await make(['one', 'two', 'three']).agent.newSession()
      await session.run('first')
      await session.save()
      await session.run('second')
      await session.trimEvents(session.eventLog.lastSequence - 2)
      const memory = await assertFold(session)
      assert.equal(memory.items.length, 4)
      assert.equal(session.eventLog.events[0]?.type, 'SESSION_RESTORED')
      await session.save()
      const resumed = await make(['three']).agent.resumeSession(session.id)
      assert.deepEqual(await itemsOf(resumed), memory.items)
      await resumed.run('third')
      await assertFold(resumed)
      assertPaired(await itemsOf(resumed))
    },
  ),
  {
    ...sessionCase(
      'nothing-held',
      'sessions that nobody holds any more are let go: the memories of 300 sessions that were run are collected',
      async (createAgent) => {
        const collect = await collector()
        const make = staging(createAgent, { sessionStore: undefined })
        const kept: WeakRef<InMemoryAgentMemory>[] = []
        const { agent } = make(
          Array.from({ length: 300 }, () => 'done'),
          {
            memorySupplier: () => {
              const memory = new InMemoryAgentMemory()
              kept.push(new WeakRef(memory))
              return memory
            },
          },
        )
        for (let n = 0; n < 300; n++) await (await agent.session(`s${n}`)).run('hello')
        const alive = () => kept.filter((it) => it.deref()).length
        const gone = await waitFor(() => {
          collect()
          return alive() <= 15
        }, 5_000)
        assert.ok(gone, `${alive()} of 300 memories are still held`)
      },
    ),
    applies: ({ createAgent }: AgentHarness) =>
      createAgent === undefined
        ? 'the harness has no createAgent: a loop without sessions'
        : canCollect() || 'the collector cannot be called here',
  },
]

const canCollect = (): boolean =>
  'gc' in globalThis || (typeof process !== 'undefined' && 'v8' in process.versions)

/** Runs the collector. */
async function collector(): Promise<() => void> {
  const given = (globalThis as { gc?: () => void }).gc
  if (given) return given
  const [{ setFlagsFromString }, { runInNewContext }] = await Promise.all([
    import('node:v8'),
    import('node:vm'),
  ])
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
