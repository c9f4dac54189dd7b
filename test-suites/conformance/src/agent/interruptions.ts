import assert from 'node:assert/strict'
import type { JsonValue } from '@holdfast/core'
import { sessionCase } from './agent-harness.ts'
import { calling } from './script.ts'
import { agentTool, assertFold, gate, itemsOf, refused, staging } from './session-stage.ts'
import { assertPaired, outputsById, outputsIn, waitFor } from './stage.ts'

/** Calls that wait for somebody outside. */
export const interruptionCases = [
  sessionCase(
    'approval-waits',
    'a call that needs approval stops the run: it does not start, its siblings finish, the model is not asked again',
    async (createAgent) => {
      let wrote = 0
      const tools = [
        agentTool('write', () => `written ${++wrote} times`, { needsApproval: true }),
        agentTool('look'),
      ]
      const { agent, script } = staging(createAgent)([calling('write', 'look'), 'done'], { tools })
      const session = await agent.newSession()
      const first = await session.run('go')
      assert.equal(first.status, 'interrupted')
      assert.equal(wrote, 0, 'it ran before it was approved')
      assert.equal(script.prompts.length, 1, 'the model was asked though a call waits')
      const [waiting] = first.interruptions
      assert.deepEqual(first.interruptions, await session.pending())
      assert.equal(first.interruptions.length, 1)
      assert.deepEqual([waiting?.name, waiting?.state], ['write', 'waiting'])
      assert.deepEqual(
        outputsIn(await itemsOf(session)).map(({ output }) => output),
        ['result of look'],
      )
      await session.answer(waiting?.callId ?? '', { approve: true })
      const second = await session.run(null)
      assert.deepEqual([second.status, second.text, wrote], ['completed', 'done', 1])
      assert.equal(
        outputsById(await itemsOf(session)).get(waiting?.callId ?? ''),
        'written 1 times',
      )
      assert.deepEqual(await session.pending(), [])
      assertPaired(script.items(2))
      await assertFold(session)
    },
  ),
  sessionCase(
    'answered-once',
    'a second answer to a call is CONFLICT, whatever the first was, and the call ends with exactly one output',
    async (createAgent) => {
      for (const answer of [{ approve: true }, { reject: 'no' }, { output: 'given' }] as const) {
        let ran = 0
        const write = agentTool('write', () => `ran ${++ran}`, { needsApproval: true })
        const { agent, script } = staging(createAgent)([calling('write'), 'done'], {
          tools: [write],
        })
        const session = await agent.newSession()
        await session.run('go')
        await session.answer('id of write', answer)
        for (const again of [{ approve: true }, { output: 'another' }, { reject: 'no' }] as const) {
          await refused(session.answer('id of write', again), 'CONFLICT')
        }
        assert.equal((await session.run(null)).text, 'done')
        await refused(session.answer('id of write', { output: 'late' }), 'CONFLICT')
        const output = outputsById(await itemsOf(session)).get('id of write')
        if ('approve' in answer) assert.equal(output, 'ran 1')
        else if ('output' in answer) assert.equal(output, 'given')
        else assert.match(String(output), /no/)
        assert.equal(ran, 'approve' in answer ? 1 : 0)
        assertPaired(script.items(2))
        await refused(session.answer('never made', { reject: 'x' }), 'NOT_FOUND')
      }
    },
  ),
  sessionCase(
    'asked-and-replied',
    'what a tool asks is among the interruptions; with the replies it runs from its top, and each ask gets its own',
    async (createAgent) => {
      let starts = 0
      const order = agentTool('order', async (_, { ask }) => {
        starts++
        const size = await ask({ question: 'size?' })
        const colour = await ask({ question: 'colour?' })
        return `${String(size)} and ${String(colour)}`
      })
      const { agent } = staging(createAgent)([calling('order'), 'done'], { tools: [order] })
      const session = await agent.newSession()
      const asked: (JsonValue | undefined)[] = []
      let result = await session.run('go')
      for (const reply of ['large', 'red']) {
        asked.push(result.interruptions[0]?.request)
        await session.answer('id of order', { reply })
        result = await session.run(null)
      }
      assert.deepEqual(asked, [{ question: 'size?' }, { question: 'colour?' }])
      assert.equal(result.text, 'done')
      assert.equal(starts, 3)
      assert.equal(outputsById(await itemsOf(session)).get('id of order'), 'large and red')
    },
  ),
  sessionCase(
    'reply-to-a-question',
    'a reply is taken by a call that asked alone: one that waits for approval refuses it, and does not start',
    async (createAgent) => {
      let wrote = 0
      const write = agentTool('write', () => `written ${++wrote} times`, { needsApproval: true })
      const { agent } = staging(createAgent)([calling('write'), 'done'], { tools: [write] })
      const session = await agent.newSession()
      await session.run('go')
      await refused(session.answer('id of write', { reply: 'yes' }), 'INVALID_ARGUMENT')
      assert.equal((await session.run(null)).status, 'interrupted')
      assert.equal(wrote, 0, 'a reply let it run')
      await session.answer('id of write', { approve: true })
      assert.equal((await session.run(null)).text, 'done')
      assert.equal(wrote, 1)
      await assertFold(session)
    },
  ),
  sessionCase(
    'approved-not-in-the-fork',
    'a call that was approved is unknown in a fork: it runs in the session that it was approved in alone',
    async (createAgent) => {
      let wrote = 0
      const write = agentTool('write', () => `written ${++wrote} times`, { needsApproval: true })
      const { agent } = staging(createAgent)([calling('write'), 'done'], { tools: [write] })
      const session = await agent.newSession()
      await session.run('go')
      await session.answer('id of write', { approve: true })
      const fork = await session.fork(crypto.randomUUID())
      assert.deepEqual(
        (await fork.pending()).map(({ name, state }) => [name, state]),
        [['write', 'unknown']],
      )
      assert.equal((await fork.run(null)).status, 'interrupted')
      assert.equal(wrote, 0, 'it ran in the fork, too')
      assert.equal((await session.run(null)).text, 'done')
      assert.equal(wrote, 1)
    },
  ),
  sessionCase(
    'answered-elsewhere',
    'a call that waits is still pending in another process, with what it asked; there it is answered and run',
    async (createAgent) => {
      const order = agentTool(
        'order',
        async (_, { ask }) => `ordered ${String(await ask('what?'))}`,
      )
      const make = staging(createAgent, { tools: [order] })
      const session = await make([calling('order')]).agent.newSession()
      await session.run('go')
      const { agent, script } = make(['done'])
      const resumed = await agent.resumeSession(session.id)
      const [waiting, ...more] = await resumed.pending()
      assert.equal(more.length, 0)
      assert.deepEqual([waiting?.state, waiting?.request], ['waiting', 'what?'])
      await resumed.answer('id of order', { reply: 'tea' })
      // Between the answer and the run the process may end once more.
      const again = await agent.resumeSession(session.id)
      assert.equal((await again.run(null)).text, 'done')
      assert.equal(outputsById(script.items(1)).get('id of order'), 'ordered tea')
    },
  ),
  sessionCase(
    'pending-refuse-input',
    'new input while calls wait is PENDING_CALLS and stores nothing; with onPending close each of them gets an output',
    async (createAgent) => {
      const write = agentTool('write', () => 'written', { needsApproval: true })
      const make = staging(createAgent, { tools: [write] })
      const calls = calling({ name: 'write', id: 'a' }, { name: 'write', id: 'b' })
      const { agent, script } = make([calls, 'done'])
      const session = await agent.newSession()
      await session.run('go')
      const before = await itemsOf(session)
      await refused(session.run('something else'), 'PENDING_CALLS')
      assert.deepEqual(await itemsOf(session), before)
      assert.equal((await session.run(null)).status, 'interrupted')
      assert.equal(script.prompts.length, 1)
      const result = await session.run('something else', { onPending: 'close' })
      assert.equal(result.text, 'done')
      assert.deepEqual([...outputsById(await itemsOf(session)).keys()].sort(), ['a', 'b'])
      assert.deepEqual(await session.pending(), [])
      assertPaired(script.items(2))
    },
  ),
  sessionCase(
    'killed-in-a-tool',
    'a call that was running when its process ended is pending as unknown: it is run again only where somebody says so',
    async (createAgent) => {
      let starts = 0
      const forever = gate<string>()
      const hang = agentTool('hang', () => (++starts === 1 ? forever.opened : `start ${starts}`))
      const make = staging(createAgent, { tools: [hang, agentTool('look')], autosave: 'sync' })
      const { agent, store } = make([calling('hang', 'look')])
      const session = await agent.newSession()
      const running = session.run('go')
      const saved = async () => {
        const record = await store.load(session.id)
        return outputsIn(record?.memory.items ?? []).length > 0
      }
      assert.ok(await waitFor(saved, 5_000), 'the output of the other tool was never saved')
      // As after a kill: another process has the record alone, and the first one never comes back.
      const { agent: other, script } = make(['done'])
      const resumed = await other.resumeSession(session.id)
      const [unknown, ...more] = await resumed.pending()
      assert.equal(more.length, 0)
      assert.deepEqual([unknown?.name, unknown?.state], ['hang', 'unknown'])
      assert.equal((await resumed.run(null)).status, 'interrupted')
      await refused(resumed.run('something else'), 'PENDING_CALLS')
      assert.equal(starts, 1, 'it ran again unasked')
      await resumed.answer('id of hang', { rerun: true })
      assert.equal((await resumed.run(null)).text, 'done')
      assert.equal(starts, 2)
      assert.equal(outputsById(script.items(1)).get('id of hang'), 'start 2')
      assertPaired(script.items(1))
      forever.open('much too late')
      await running.catch(() => undefined)
      assert.equal(
        outputsById((await store.load(session.id))?.memory.items ?? []).get('id of hang'),
        'start 2',
      )
    },
  ),
]
