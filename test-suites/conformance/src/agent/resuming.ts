import assert from 'node:assert/strict'
import { createStorage, MemoryDriver, StructuredCompactPolicy } from '@holdfast/core'
import { assistant, textsOf, user } from '../memory/expect.ts'
import { sessionCase } from './agent-harness.ts'
import { calling } from './script.ts'
import {
  agentTool,
  assertFold,
  assertSequence,
  itemsOf,
  refused,
  staging,
} from './session-stage.ts'

const newId = () => crypto.randomUUID()

/** Sessions that are saved and resumed. */
export const resumingCases = [
  sessionCase(
    'resume-goes-on',
    'a resumed session has memory, log and attributes of the saved one, and its next prompt goes on from there',
    async (createAgent) => {
      const make = staging(createAgent, { tools: [agentTool('look')] })
      const first = make([calling('look'), 'one'])
      const session = await first.agent.newSession({
        attributes: { user: 'u-7', at: '2026-01-02' },
      })
      await session.run('hello')
      await session.save()
      const second = make(['two'])
      const resumed = await second.agent.resumeSession(session.id)
      assert.deepEqual(await itemsOf(resumed), await itemsOf(session))
      assert.deepEqual(resumed.metadata.attributes, { user: 'u-7', at: '2026-01-02' })
      assert.equal(resumed.metadata.createdAt, session.metadata.createdAt)
      const { events } = session.eventLog
      assert.deepEqual(resumed.eventLog.events.slice(0, events.length), events)
      await resumed.run('and now?')
      assert.deepEqual(second.script.items(1), [...(await itemsOf(session)), user('and now?')])
      await assertFold(resumed)
    },
  ),
  sessionCase(
    'sessions-found-or-not',
    'newSession over an existing id is CONFLICT, resuming an unknown one NOT_FOUND, session(id) does either',
    async (createAgent) => {
      const make = staging(createAgent)
      const { agent } = make(['one', 'two'])
      const id = newId()
      await refused(agent.resumeSession(id), 'NOT_FOUND')
      const session = await agent.session(id)
      await session.run('hello')
      await session.flush()
      await refused(make([]).agent.newSession({ id }), 'CONFLICT')
      assert.deepEqual(await itemsOf(await make([]).agent.session(id)), await itemsOf(session))
      await refused(
        createAgent({ modelClient: make([]).script, model: 'm' }).resumeSession(id),
        'INVALID_ARGUMENT',
      )
    },
  ),
  sessionCase(
    'memory-wins',
    'a durable memory that is ahead of the saved record is not rewound by resuming: the log is put right',
    async (createAgent) => {
      const storage = createStorage(new MemoryDriver())
      const make = staging(createAgent, { memorySupplier: (id) => storage.memory(id) })
      const id = newId()
      const session = await make(['one', 'two'], { autosave: 'off' }).agent.newSession({ id })
      await session.run('first')
      await session.save()
      await session.run('second')
      const ahead = await itemsOf(session)
      // The process ends here: what the second run did is in memory alone.
      const resumed = await make(['three']).agent.resumeSession(id)
      assert.deepEqual(await itemsOf(resumed), ahead)
      await assertFold(resumed, 'the log was not put right')
      assert.equal(resumed.eventLog.events.at(-1)?.type, 'SESSION_RESTORED')
      await resumed.run('third')
      assert.deepEqual(textsOf(await itemsOf(resumed)), [
        'first',
        'one',
        'second',
        'two',
        'third',
        'three',
      ])
    },
  ),
  sessionCase(
    'log-stays-flat',
    'with a resume before each of 20 turns, each turn adds as many events as the one before',
    async (createAgent) => {
      for (const durable of [false, true]) {
        const storage = createStorage(new MemoryDriver())
        const make = staging(
          createAgent,
          durable ? { memorySupplier: (id) => storage.memory(id) } : {},
        )
        const id = newId()
        const sizes: number[] = []
        for (let turn = 0; turn < 20; turn++) {
          const { agent, store } = make([`answer ${turn}`])
          const session = await agent.session(id)
          await session.run(`input ${turn}`)
          await session.flush()
          sizes.push(JSON.stringify((await store.load(id))?.events).length)
        }
        const grown = sizes.map((size, turn) => size - (sizes[turn - 1] ?? 0))
        const [early = 0, late = 0] = [grown[3], grown.at(-1)]
        assert.ok(late < early * 1.2 + 50, `${early} bytes of events at turn 3, ${late} at turn 19`)
      }
    },
  ),
  sessionCase(
    'sequence-grows',
    'sequence numbers grow strictly across resumes, restores, clears and trims; none is given twice',
    async (createAgent) => {
      const make = staging(createAgent)
      const id = newId()
      const seen: number[] = []
      for (let turn = 0; turn < 4; turn++) {
        const session = await make([`answer ${turn}`, 'again']).agent.session(id)
        await session.run(`input ${turn}`)
        if (turn === 1) await session.restore({ items: [user('restored')] })
        if (turn === 2) {
          await session.clear()
          await session.trimEvents(session.eventLog.lastSequence)
        }
        await session.run('more')
        await session.save()
        assertSequence(session.eventLog.events)
        const last = seen.at(-1) ?? 0
        seen.push(...session.eventLog.events.map((it) => it.sequence).filter((n) => n > last))
        assert.ok(session.eventLog.lastSequence > last, 'the counter went back')
        await assertFold(session)
      }
      assert.equal(new Set(seen).size, seen.length)
    },
  ),
  sessionCase(
    'compaction-survives',
    'what a compaction left, its summary and its notes, is there after a resume: the next prompt is the same',
    async (createAgent) => {
      const policy = new StructuredCompactPolicy({ maxItems: 4, keepRecentItems: 2 })
      const make = staging(createAgent)
      const session = await make(['one', 'two', 'three']).agent.newSession()
      for (const text of ['We decided: no tabs.', 'Please write b.ts.', 'And then?']) {
        await session.run(text)
      }
      assert.ok(await session.compact(policy), 'there was something to compact')
      await session.save()
      const { script, agent } = make(['four'])
      const resumed = await agent.resumeSession(session.id)
      assert.deepEqual((await resumed.snapshot()).compact, (await session.snapshot()).compact)
      assert.ok((await resumed.snapshot()).compact, 'the compact result is gone')
      const before = await session.memory.getItems()
      await resumed.run('go on')
      assert.deepEqual(script.items(1), [...before, user('go on')])
    },
  ),
  sessionCase(
    'same-prompt',
    'the next prompt of a resumed session is the one that it would have had without: pinned prefix, budget and compaction alike',
    async (createAgent) => {
      const budget = { maxItems: 8, pinnedPrefixItems: 2, maxRecentToolResults: 1 }
      const policy = new StructuredCompactPolicy({ maxItems: 30, keepRecentItems: 16 })
      const make = staging(createAgent, { budget, tools: [agentTool('look')], autosave: 'off' })
      const turns = Array.from({ length: 8 }, (_, n) => (n % 2 ? `answer ${n}` : calling('look')))
      const { agent, script } = make([...turns, 'without', 'more'])
      const session = await agent.newSession()
      for (const text of ['pinned: never use tabs', 'two', 'three', 'four']) await session.run(text)
      for (const compacted of [false, true]) {
        if (compacted) await session.compact(policy)
        await session.save()
        const other = make(['with'])
        const resumed = await other.agent.resumeSession(session.id)
        await resumed.run('go on')
        await session.run('go on')
        assert.deepEqual(other.script.items(1), script.items(script.prompts.length))
        if (!compacted) {
          assert.ok(JSON.stringify(other.script.items(1)).includes('never use tabs'))
        }
      }
    },
  ),
  sessionCase(
    'deleted-whole',
    'a deleted session is gone with its memory, its record and its place in the listing; its id begins anew',
    async (createAgent) => {
      const storage = createStorage(new MemoryDriver())
      const make = staging(createAgent, { memorySupplier: (id) => storage.memory(id) })
      const { agent, store } = make(['one', 'two'])
      const [session, kept] = [
        await agent.newSession({ id: '1' }),
        await agent.newSession({ id: '10' }),
      ]
      await session.run('hello')
      await session.save()
      await kept.run('stay')
      await kept.save()
      assert.equal(await agent.deleteSession('1'), true)
      assert.equal(await store.load('1'), undefined)
      assert.deepEqual(await store.listSessionIds(), ['10'])
      assert.deepEqual(await storage.memory('1').getItems(), [])
      await refused(agent.resumeSession('1'), 'NOT_FOUND')
      assert.equal(await agent.deleteSession('1'), false)
      assert.deepEqual(await itemsOf(await make([]).agent.newSession({ id: '1' })), [])
      assert.deepEqual(textsOf(await itemsOf(await make([]).agent.resumeSession('10'))), [
        'stay',
        'two',
      ])
    },
  ),
  sessionCase(
    'saved-in-step',
    "with autosave 'sync' the record holds the input before the model is asked, a call before its tool starts, an output before the next model call",
    async (createAgent) => {
      const make = staging(createAgent, { autosave: 'sync' })
      const id = newId()
      const seen: string[] = []
      const look = async () =>
        seen.push(JSON.stringify((await store.load(id))?.memory.items ?? 'nothing'))
      const { agent, store } = make(
        [
          async () => {
            await look()
            return calling('look')
          },
          async () => {
            await look()
            return 'done'
          },
        ],
        {
          tools: [
            agentTool('look', async () => {
              await look()
              return 'the output'
            }),
          ],
        },
      )
      await (await agent.newSession({ id })).run('the input')
      assert.equal(seen.length, 3)
      assert.ok(seen[0]?.includes('the input'), 'the input was not saved before the model call')
      assert.ok(
        seen[1]?.includes('function_call'),
        'the call was not saved before its tool started',
      )
      assert.ok(seen[2]?.includes('the output'), 'the output was not saved before the model call')
      assert.deepEqual((await store.load(id))?.memory.items.at(-1), assistant('done'))
    },
  ),
  sessionCase(
    'two-writers',
    'a session that somebody else saved meanwhile ends its run with CONFLICT before its next tool starts',
    async (createAgent) => {
      let ran = 0
      const look = agentTool('look', () => `ran ${++ran} times`)
      const make = staging(createAgent, { autosave: 'sync', tools: [look] })
      const id = newId()
      const first = await make(['one', 'two']).agent.session(id)
      await first.run('hello')
      const second = await make([calling('look'), 'never']).agent.resumeSession(id)
      await first.run('I go on')
      await refused(second.run('so do I'), 'CONFLICT')
      assert.equal(ran, 0, 'the tool ran in a session that was lost')
      const resumed = await make([]).agent.resumeSession(id)
      assert.deepEqual(textsOf(await itemsOf(resumed)), ['hello', 'one', 'I go on', 'two'])
    },
  ),
]
