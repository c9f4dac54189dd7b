import assert from 'node:assert/strict'
import type { AgentSession } from '@holdfast/core'
import { textsOf, user } from '../memory/expect.ts'
import { sessionCase } from './agent-harness.ts'
import { calling, Script, type ScriptStep } from './script.ts'
import { agentTool, assertFold, gate, itemsOf, refused, staging } from './session-stage.ts'
import { assertPaired, outputsById, waitFor } from './stage.ts'

const settled = () => new Promise((done) => setTimeout(done, 20))

/** Asserts that the session can be loaded, is paired, and goes on. */
async function assertSound(session: AgentSession): Promise<void> {
  const items = await itemsOf(session)
  assertPaired(items, 'memory')
  outputsById(items)
  await assertFold(session)
  assert.deepEqual(await session.pending(), [])
}

/** Runs that end before their end. */
export const endingCases = [
  sessionCase(
    'abort-leaves-pairs',
    'an abort while tools run is ABORTED: each stored call ends with exactly one output, and the session goes on',
    async (createAgent) => {
      const aborter = new AbortController()
      const never = gate<string>()
      const tools = [
        agentTool('hang', () => never.opened),
        agentTool('look'),
        agentTool('stop', async () => {
          const finished = async () =>
            JSON.stringify(await session.memory.snapshot()).includes('result of look')
          await waitFor(finished, 5_000)
          aborter.abort(new Error('enough'))
          return never.opened
        }),
      ]
      const make = staging(createAgent, { tools })
      const { agent, script } = make([calling('hang', 'look', 'stop'), 'done'])
      const session: AgentSession = await agent.newSession()
      const error = await refused(session.run('go', { signal: aborter.signal }), 'ABORTED')
      assert.equal((error.cause as Error | undefined)?.message, 'enough')
      await assertSound(session)
      const outputs = outputsById(await itemsOf(session))
      assert.equal(outputs.get('id of look'), 'result of look', 'a finished result was lost')
      await session.save()
      const resumed = await make(['again']).agent.resumeSession(session.id)
      assert.equal((await resumed.run('go on')).text, 'again')
      assert.equal(script.prompts.length, 1)
      never.open('late')
      await settled()
    },
  ),
  sessionCase(
    'late-result-dropped',
    'a result that comes after the abort is dropped, with an event: memory stays as the abort left it',
    async (createAgent) => {
      const aborter = new AbortController()
      const late = gate<string>()
      const started = gate()
      const tools = [
        agentTool('hang', () => {
          started.open()
          return late.opened
        }),
      ]
      const session = await staging(createAgent)([calling('hang')], { tools }).agent.newSession()
      const running = refused(session.run('go', { signal: aborter.signal }), 'ABORTED')
      await started.opened
      aborter.abort()
      await running
      const before = await itemsOf(session)
      late.open('much too late')
      const told = () =>
        session.eventLog.events.some(
          ({ type, payload }) => type === 'ERROR' && payload['during'] === 'tool',
        )
      assert.ok(await waitFor(told, 5_000), 'no event tells of the dropped result')
      assert.deepEqual(await itemsOf(session), before)
      assert.ok(!JSON.stringify(before).includes('much too late'))
      await assertSound(session)
    },
  ),
  sessionCase(
    'abort-in-the-model-call',
    'an abort while the model answers keeps the input and nothing of the answer, and does not wait for the model',
    async (createAgent) => {
      const aborter = new AbortController()
      const late = gate<string>()
      const step: ScriptStep = () => {
        aborter.abort()
        return late.opened
      }
      const session = await staging(createAgent)([step, 'done']).agent.newSession()
      await refused(session.run('go', { signal: aborter.signal }), 'ABORTED')
      late.open('an answer that nobody waits for')
      await settled()
      assert.deepEqual(await itemsOf(session), [user('go')])
      assert.equal((await session.run(null)).text, 'done')
      await assertSound(session)
    },
  ),
  sessionCase(
    'time-limit',
    'a run over its time is LIMIT_EXCEEDED with what was done, and leaves the session paired',
    async (createAgent) => {
      const never = gate<string>()
      const tools = [agentTool('hang', () => never.opened), agentTool('look')]
      const { agent } = staging(createAgent)([calling('hang', 'look'), 'done'], { tools })
      const session = await agent.newSession()
      const error = await refused(session.run('go', { timeoutMs: 400 }), 'LIMIT_EXCEEDED')
      assert.equal(error.partial?.steps, 1)
      await assertSound(session)
      assert.equal((await session.run(null)).text, 'done')
      never.open('late')
    },
  ),
  sessionCase(
    'step-limit',
    'a run over its steps is LIMIT_EXCEEDED with what was done: every output is stored, and run(null) goes on',
    async (createAgent) => {
      const steps = [{ ...calling('look'), text: 'first' }, calling('look'), 'done']
      const { agent, script } = staging(createAgent)(steps, { tools: [agentTool('look')] })
      const session = await agent.newSession()
      const error = await refused(session.run('go', { maxSteps: 1 }), 'LIMIT_EXCEEDED')
      assert.deepEqual([error.partial?.text, error.partial?.steps], ['first', 1])
      assert.equal(script.prompts.length, 1)
      await assertSound(session)
      assert.equal((await session.run(null)).text, 'done')
      await assertSound(session)
    },
  ),
  sessionCase(
    'two-runs-at-once',
    'a second run on one session while one is under way is CONFLICT before it does anything; the first goes on',
    async (createAgent) => {
      const held = gate<string>()
      const { agent, script } = staging(createAgent)([() => held.opened, 'next'])
      const session = await agent.newSession()
      const first = session.run('first')
      const second = refused(session.run('second'), 'CONFLICT')
      await Promise.race([second, settled()])
      held.open('one')
      await second
      assert.equal((await first).text, 'one')
      assert.deepEqual(textsOf(await itemsOf(session)), ['first', 'one'])
      assert.equal((await session.run('third')).text, 'next')
      assert.equal(script.prompts.length, 2)
    },
  ),
  sessionCase(
    'deleted-meanwhile',
    'a run whose session is deleted meanwhile ends with CONFLICT, and brings nothing of it back',
    async (createAgent) => {
      const { createStorage, MemoryDriver } = await import('@holdfast/core')
      const storage = createStorage(new MemoryDriver())
      const make = staging(createAgent, { memorySupplier: (id) => storage.memory(id) })
      const id = crypto.randomUUID()
      const tools = [
        agentTool('vanish', async () => {
          await make([]).agent.deleteSession(id)
          await storage.memory(id).addUserInput('a new life')
          return 'done'
        }),
      ]
      const session = await make([calling('vanish'), 'never'], { tools }).agent.newSession({ id })
      await refused(session.run('go'), 'CONFLICT')
      assert.deepEqual(textsOf(await storage.memory(id).getItems()), ['a new life'])
    },
  ),
  sessionCase(
    'stream-shows-all',
    'a stream shows every event of the run in order, the pieces of its text, and its result',
    async (createAgent) => {
      const tools = [agentTool('look')]
      const { agent } = staging(createAgent)([{ ...calling('look'), text: 'a' }, 'done'], { tools })
      const session = await agent.newSession()
      const stream = session.stream('go')
      const numbers: number[] = []
      let text = ''
      for await (const part of stream) {
        if ('sequence' in part) numbers.push(part.sequence)
        else if (part.type === 'TEXT_DELTA') text += part.text
      }
      assert.deepEqual(
        numbers,
        session.eventLog.events.map(({ sequence }) => sequence),
      )
      assert.equal(text, 'adone')
      assert.equal((await stream.result).text, 'done')
      await assertSound(session)
    },
  ),
  sessionCase(
    'stream-left-early',
    'leaving a stream early aborts its run and waits for its end: the session is paired and free',
    async (createAgent) => {
      const never = gate<string>()
      const tools = [agentTool('hang', () => never.opened)]
      const { agent } = staging(createAgent)([calling('hang'), 'done'], { tools })
      const session = await agent.newSession()
      const stream = session.stream('go')
      stream.result.catch(() => undefined)
      for await (const part of stream) if (part.type === 'TOOL_CALL') break
      await assertSound(session)
      assert.equal((await session.run(null)).text, 'done')
      never.open('late')
    },
  ),
  sessionCase(
    'model-retried',
    'a model call that may help to repeat is made again with the same prompt; nothing stored is rewound or doubled',
    async (createAgent) => {
      const busy = () => Object.assign(new Error('busy'), { retryable: true, retryAfterMs: 1 })
      const steps = [busy(), calling('look'), busy(), busy(), 'done']
      const script = new Script(steps)
      let looked = 0
      const tools = [agentTool('look', () => `looked ${++looked}`)]
      const agent = createAgent({ modelClient: script, model: 'm', tools, modelRetries: 2 })
      const session = await agent.newSession()
      assert.equal((await session.run('go')).text, 'done')
      assert.equal(looked, 1)
      assert.equal(script.prompts.length, 5)
      assert.deepEqual(script.items(2), script.items(1))
      assert.deepEqual(script.items(4), script.items(3))
      assert.deepEqual(script.items(5), script.items(3))
      assert.equal((await itemsOf(session)).length, 4)
      await assertSound(session)
      const { events } = session.eventLog
      assert.equal(events.filter(({ type }) => type === 'MODEL_RETRY').length, 3)
    },
  ),
]
