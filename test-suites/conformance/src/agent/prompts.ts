import assert from 'node:assert/strict'
import { type AgentItem, InMemoryAgentMemory, WindowedMemoryCompressor } from '@holdfast/core'
import { assistant, system, toolOutput, user } from '../memory/expect.ts'
import { loopCase } from './agent-harness.ts'
import { calling, Script } from './script.ts'
import { assertPaired, faultsOf, Stage, testTool } from './stage.ts'

const call = (id: string): AgentItem => ({
  type: 'function_call',
  call_id: id,
  name: 'look',
  arguments: '{}',
})

const reasoning = (id: string): AgentItem => ({ type: 'reasoning', id, summary: [] })

/** Three turns with parallel calls, whose outputs came in any order, reasoning, and a system item between. */
const TRANSCRIPT: readonly AgentItem[] = [
  user('one'),
  reasoning('r1'),
  call('a'),
  call('b'),
  toolOutput('b', 'of b'),
  system('in between'),
  toolOutput('a', 'of a'),
  reasoning('r2'),
  assistant('first answer'),
  user('two'),
  reasoning('r3'),
  reasoning('r4'),
  call('c'),
  toolOutput('c', 'of c'),
  call('d'),
  toolOutput('d', 'of d'),
  assistant('second answer'),
  user('three'),
  assistant('third answer'),
]

const CUT = [
  [toolOutput('gone', 'its call was cut off')],
  [toolOutput('gone', 'x'), assistant('answer'), toolOutput('gone too', 'y')],
  [system('S'), toolOutput('gone', 'behind a system item')],
  [reasoning('parted'), user('what followed is gone')],
] as const

/** What the model is shown. */
export const promptCases = [
  loopCase(
    'prompt-is-memory',
    'the prompt of each step is what memory holds, in order: nothing is added, left out or doubled',
    async (run) => {
      const stage = new Stage(
        run,
        [calling('look'), calling('more'), 'done'],
        [testTool('look'), testTool('more')],
      )
      await stage.memory.inner.addOutputItems(TRANSCRIPT.slice(-2))
      await stage.run('go')
      const items = await stage.memory.items()
      assert.deepEqual(stage.script.items(1), items.slice(0, 3))
      assert.deepEqual(stage.script.items(2), items.slice(0, 5))
      assert.deepEqual(stage.script.items(3), items.slice(0, 7))
    },
  ),
  loopCase(
    'asks-memory-each-step',
    'the prompt is asked anew from memory at each step: what others changed meanwhile is shown',
    async (run) => {
      const stage: Stage = new Stage(
        run,
        [calling('change'), 'done', 'again'],
        [
          testTool('change', async () => {
            await stage.memory.inner.update(({ items }) => ({
              items: [user('put in by another process'), ...items.slice(1)],
              summary: 'shortened meanwhile',
            }))
            return 'changed'
          }),
        ],
      )
      await stage.run('first')
      const shown = stage.script.items(2)
      assert.deepEqual(shown.slice(0, 2), [
        system('shortened meanwhile'),
        user('put in by another process'),
      ])
      assert.ok(!JSON.stringify(shown).includes('first'), 'what was taken out is still shown')
      await stage.memory.clear()
      await stage.run('second')
      assert.deepEqual(stage.script.items(3), [user('second')])
    },
  ),
  loopCase(
    'tools-each-step',
    'each model call is offered the same tools, those of the run, behind tool calls and in later runs too',
    async (run) => {
      const tools = [testTool('look'), testTool('more')]
      const stage = new Stage(run, [calling('look'), calling('more'), 'done', 'again'], tools)
      await stage.run('first')
      await stage.run('second')
      assert.equal(stage.script.prompts.length, 4)
      for (const [index, { tools: offered = [] }] of stage.script.prompts.entries()) {
        assert.deepEqual(
          offered.map(({ name, description }) => [name, description]).sort(),
          tools.map(({ name, description }) => [name, description]),
          `model call ${index + 1}`,
        )
      }
    },
  ),
  loopCase(
    'summary-first',
    'a summary is shown as one system message in front, at every step, and is never stored as an item',
    async (run) => {
      const stage = new Stage(run, [calling('look'), 'done'], [testTool('look')])
      await stage.memory.inner.setSummary('what was before')
      await stage.run('go')
      for (const { items } of stage.script.prompts) {
        assert.deepEqual(items[0], system('what was before'))
        assert.equal(items.filter(({ role }) => role === 'system').length, 1)
      }
      assert.equal(await stage.memory.getSummary(), 'what was before')
      const stored = await stage.memory.items()
      assert.ok(stored.every(({ role }) => role !== 'system'))
    },
  ),
  loopCase(
    'no-orphan-output',
    'a history that was cut shows no output without its call, and no reasoning without what follows it',
    async (run) => {
      for (const cut of CUT) {
        const stage = new Stage(run, [calling('look'), 'done'], [testTool('look')])
        await stage.memory.inner.addOutputItems(cut)
        await stage.run('go on')
        for (const { items } of stage.script.prompts) {
          assertPaired(items)
          assert.ok(JSON.stringify(items).includes('go on'))
        }
      }
    },
  ),
  loopCase(
    'no-orphan-call',
    'a call whose output never came is shown to no model: it is repaired, or the run is refused',
    async (run) => {
      const stage = new Stage(run, ['done'])
      const before = [user('one'), call('a'), call('lost'), toolOutput('a', 'of a')]
      await stage.memory.inner.addOutputItems(before)
      await stage.run('go on').catch(() => undefined)
      for (const { items } of stage.script.prompts) assertPaired(items)
      assert.deepEqual((await stage.memory.items()).slice(0, before.length), before)
    },
  ),
  loopCase(
    'every-cut',
    'however a transcript is cut, at the front by a window of any size, every prompt is well paired',
    async (run) => {
      for (let kept = 1; kept <= TRANSCRIPT.length; kept++) {
        const stage = new Stage(run, [calling('look'), 'done'], [testTool('look')])
        await stage.memory.inner.addOutputItems(TRANSCRIPT.slice(-kept))
        await stage.run('go on')
        for (const { items } of stage.script.prompts) {
          assertPaired(items, `the last ${kept} of ${TRANSCRIPT.length} items`)
        }
      }
    },
  ),
  loopCase(
    'window-beside-the-loop',
    'a memory that keeps its last n items while the loop runs gives well-paired prompts, whatever n is',
    async (run) => {
      for (const n of [1, 2, 3, 4, 5, 7]) {
        const memory = new InMemoryAgentMemory({ compressor: new WindowedMemoryCompressor(n) })
        const script = new Script([calling('a', 'b', 'c'), calling('a', 'b'), 'done'])
        const tools = ['a', 'b', 'c'].map((name) => testTool(name))
        await run({ memory, script, tools, input: 'go' })
        for (const { items } of script.prompts) assertPaired(items, `a window of ${n}`)
      }
    },
  ),
  loopCase(
    'projection-changes-nothing',
    'whatever is left out of a prompt or moved in it, memory stays byte for byte the same',
    async (run) => {
      for (const items of [[...CUT.flat(), ...TRANSCRIPT], TRANSCRIPT]) {
        const stage = new Stage(run, ['done'])
        await stage.memory.inner.addOutputItems(items)
        await stage.run('go on')
        assert.equal(
          JSON.stringify((await stage.memory.items()).slice(0, -2)),
          JSON.stringify(items),
        )
      }
    },
  ),
  loopCase(
    'prompt-is-the-models',
    'a model client that changes its prompt changes nothing: not memory, not the next prompt',
    async (run) => {
      const stage = new Stage(
        run,
        [
          (prompt) => {
            for (const item of prompt.items) Object.assign(item, { defaced: true })
            prompt.items.length = 0
            return calling('look')
          },
          'done',
        ],
        [testTool('look')],
      )
      await stage.run('go')
      assert.deepEqual(faultsOf(stage.script.items(2)), [])
      assert.deepEqual(stage.script.items(2)[0], user('go'))
      assert.ok(!JSON.stringify(await stage.memory.items()).includes('defaced'))
    },
  ),
]
