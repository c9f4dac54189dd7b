import assert from 'node:assert/strict'
import {
  type AgentItem,
  type CompactPolicy,
  type CompactResult,
  type MemorySnapshot,
  StructuredCompactPolicy,
} from '@holdfast/core'
import { system, textsOf, user } from '../memory/expect.ts'
import { sessionCase } from './agent-harness.ts'
import { calling } from './script.ts'
import { agentTool, assertFold, gate, itemsOf, refused, staging } from './session-stage.ts'
import { assertPaired, outputsById } from './stage.ts'

/** A policy that answers `memory`, whatever it is asked. */
const policyOf = (
  compact: (snapshot: MemorySnapshot) => MemorySnapshot | Promise<MemorySnapshot>,
  due: (snapshot: MemorySnapshot) => boolean = () => false,
): CompactPolicy => ({
  shouldCompact: due,
  async compact(snapshot): Promise<CompactResult> {
    const memory = await compact(snapshot)
    return {
      memory,
      ...(memory.summary === undefined ? {} : { summary: memory.summary }),
      completed: [],
      pending: [],
      decisions: [],
      files: [],
      openQuestions: [],
      report: {
        itemsBefore: snapshot.items.length,
        itemsAfter: memory.items.length,
        approxCharsBefore: 0,
        approxCharsAfter: 0,
        approxTokensAfter: 0,
        dropped: 0,
        truncated: 0,
        repairs: [],
        overBudget: false,
      },
    }
  },
})

/** Every text in a value. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* textsIn(child)
  }
}

/** Shorter memories and shorter prompts. */
export const compactionCases = [
  sessionCase(
    'summary-kept',
    'a compaction with nothing to summarise keeps the summary that is there',
    async (createAgent) => {
      const session = await staging(createAgent)(['one']).agent.newSession()
      await session.restore({ items: [user('a')], summary: 'what was before' })
      await session.run('b')
      for (let round = 0; round < 3; round++) {
        await session.compact(new StructuredCompactPolicy({ maxItems: 200, keepRecentItems: 100 }))
        assert.match(String(await session.memory.getSummary()), /what was before/)
      }
      await assertFold(session)
    },
  ),
  sessionCase(
    'facts-survive',
    'facts that were planted early are in the summary after five compactions by rules alone',
    async (createAgent) => {
      const turns = Array.from({ length: 15 }, (_, n) => `answer ${n}`)
      const session = await staging(createAgent)(turns).agent.newSession()
      const policy = new StructuredCompactPolicy({ maxItems: 6, keepRecentItems: 2 })
      await session.run('Remember: the deploy key is KESTREL-42.')
      await session.run('We decided to use PostgreSQL.')
      await session.run('Please write docs/plan.md.')
      for (let round = 0; round < 5; round++) {
        for (const text of ['And what about the weather?', 'Fine, go on.']) await session.run(text)
        assert.ok(await session.compact(policy), 'there was something to compact')
      }
      const summary = String(await session.memory.getSummary())
      for (const fact of ['KESTREL-42', 'PostgreSQL', 'docs/plan.md']) {
        assert.ok(summary.includes(fact), `${fact} is lost: ${summary}`)
      }
    },
  ),
  sessionCase(
    'unfinished-turn-protected',
    'a compaction in the middle of a turn leaves that turn alone: the results of its tools are shown to the model',
    async (createAgent) => {
      const everything = policyOf(
        () => ({ items: [], summary: 'shortened' }),
        ({ items }) => items.length > 0,
      )
      const tools = ['a', 'b'].map((name) => agentTool(name))
      const make = staging(createAgent, { compactPolicy: everything, tools })
      const { agent, script } = make(['old answer', calling('a'), calling('b'), 'done'])
      const session = await agent.newSession()
      await session.run('old')
      await session.run('go')
      const shown = script.items(4)
      assert.deepEqual(shown[0], system('shortened'))
      assert.deepEqual([...outputsById(shown).values()], ['result of a', 'result of b'])
      assert.ok(textsOf(shown).includes('go'), 'the input of the turn is gone')
      assert.ok(!JSON.stringify(shown).includes('old answer'), 'nothing was compacted')
      await assertFold(session)
    },
  ),
  sessionCase(
    'compaction-that-fails',
    'a compaction that fails by itself lets the run go on uncompacted, with an event; one that was asked for rejects',
    async (createAgent) => {
      const fails = policyOf(
        () => Promise.reject(new Error('no summary today')),
        () => true,
      )
      const session = await staging(createAgent, { compactPolicy: fails })([
        'one',
        'two',
      ]).agent.newSession()
      await session.run('a')
      assert.equal((await session.run('b')).text, 'two')
      assert.equal((await itemsOf(session)).length, 4)
      const told = session.eventLog.events.filter(
        ({ type, payload }) => type === 'ERROR' && payload['during'] === 'compaction',
      )
      assert.ok(told.length > 0, 'no event tells of it')
      await assert.rejects(session.compact(fails), /no summary today/)
      assert.equal((await itemsOf(session)).length, 4)
      await assertFold(session)
    },
  ),
  sessionCase(
    'slow-compaction',
    'what is added while a slow compaction works stays behind its result',
    async (createAgent) => {
      const held = gate<MemorySnapshot>()
      const session = await staging(createAgent)(['one', 'two']).agent.newSession()
      await session.run('a')
      const compacting = session.compact(policyOf(() => held.opened))
      await session.run('b')
      held.open({ items: [], summary: 'of the first turn' })
      await compacting
      const { items, summary } = await session.memory.snapshot()
      assert.equal(summary, 'of the first turn')
      assert.deepEqual(textsOf(items), ['b', 'two'])
      await assertFold(session)
    },
  ),
  sessionCase(
    'slow-compaction-overtaken',
    'a slow compaction of what was changed meanwhile is CONFLICT: it installs nothing',
    async (createAgent) => {
      const held = gate<MemorySnapshot>()
      const session = await staging(createAgent)(['one']).agent.newSession()
      await session.run('a')
      const compacting = refused(session.compact(policyOf(() => held.opened)), 'CONFLICT')
      await session.restore({ items: [user('restored')] })
      held.open({ items: [], summary: 'of what is gone' })
      await compacting
      assert.deepEqual(await itemsOf(session), [user('restored')])
      assert.equal(await session.memory.getSummary(), undefined)
      await assertFold(session)
    },
  ),
  sessionCase(
    'cut-on-code-points',
    'whatever a budget cuts, every text of every prompt is well-formed: no emoji is split',
    async (createAgent) => {
      for (let extra = 0; extra < 4; extra++) {
        const long = `${'x'.repeat(extra)}${'😀'.repeat(3_000)}`
        const tools = [agentTool('look', () => long)]
        const budget = { maxApproxChars: 2_500 + extra, maxRecentToolResults: 1 }
        const steps = [calling('look'), long, calling('look'), 'done', 'last']
        const { agent, script } = staging(createAgent, { budget, tools })(steps)
        const session = await agent.newSession()
        for (const text of [long, 'and', 'then']) await session.run(text)
        for (const { items } of script.prompts) {
          for (const text of textsIn(items)) {
            assert.ok(!/\p{Cs}/u.test(text), 'half a surrogate pair is shown')
          }
        }
      }
    },
  ),
  sessionCase(
    'every-budget',
    'whatever a budget leaves out, every prompt is well paired, shows the unfinished turn, and memory is untouched',
    async (createAgent) => {
      for (let maxItems = 1; maxItems <= 12; maxItems++) {
        const tools = ['a', 'b'].map((name) => agentTool(name))
        const reasoning: AgentItem = { type: 'reasoning', id: 'r', summary: [] }
        const turn = { items: [reasoning], ...calling('a', 'b') }
        const budget = { maxItems, pinnedPrefixItems: maxItems % 3 }
        const { agent, script } = staging(createAgent, { budget, tools })([
          turn,
          'one',
          turn,
          turn,
          'two',
        ])
        const session = await agent.newSession()
        await session.run('first')
        await session.run('second')
        for (const { items } of script.prompts) assertPaired(items, `maxItems ${maxItems}`)
        const shown = JSON.stringify(script.items(5))
        assert.ok(shown.includes('second'), `maxItems ${maxItems}: the input is not shown`)
        assert.ok(outputsById(script.items(5)).size >= 4, 'a result of the turn is not shown')
        assert.equal((await itemsOf(session)).length, 2 + 3 * 5 + 2)
      }
    },
  ),
]
