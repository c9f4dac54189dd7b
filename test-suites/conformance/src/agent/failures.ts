import assert from 'node:assert/strict'
import { assistant, user } from '../memory/expect.ts'
import { loopCase } from './agent-harness.ts'
import { JournalMemory } from './journal-memory.ts'
import { calling, Script } from './script.ts'
import { assertPaired, outputsById, outputsIn, Stage, testTool } from './stage.ts'

const down = new Error('the model is down')

/** What a failure leaves behind. */
export const failureCases = [
  loopCase(
    'input-kept',
    'a model call that fails makes the run fail, and the user input is kept, once',
    async (run) => {
      const stage = new Stage(run, [down])
      await stage.fails('hello')
      assert.deepEqual(await stage.memory.items(), [user('hello')])
    },
  ),
  loopCase(
    'results-kept',
    'a model call that fails behind tools loses none of their results: memory is loadable and paired',
    async (run) => {
      const stage = new Stage(run, [calling('a', 'b'), down], [testTool('a'), testTool('b')])
      await stage.fails('go')
      const items = await stage.memory.items()
      assert.deepEqual(items[0], user('go'))
      assert.deepEqual([...outputsById(items).values()].sort(), ['result of a', 'result of b'])
      assertPaired(items, 'memory')
    },
  ),
  loopCase(
    'retry-doubles-nothing',
    'going on behind a failed model call repeats nothing: no input, no tool, no item',
    async (run) => {
      const stage = new Stage(run, [down, calling('a'), down, down, 'done'], [testTool('a')])
      await stage.fails('go')
      await stage.fails(null)
      await stage.fails(null)
      assert.equal((await stage.run(null)).text, 'done')
      assert.equal(stage.count('start a'), 1, 'the tool ran again')
      const items = await stage.memory.items()
      assert.equal(items.length, 4)
      assert.deepEqual(items[0], user('go'))
      assert.deepEqual(items.at(-1), assistant('done'))
      assertPaired(items, 'memory')
    },
  ),
  loopCase(
    'runs-in-sequence',
    'run after run goes on from what memory holds, with nothing doubled',
    async (run) => {
      const stage = new Stage(run, ['one', calling('a'), 'two', 'three'], [testTool('a')])
      for (const text of ['first', 'second', 'third']) await stage.run(text)
      const items = await stage.memory.items()
      assert.deepEqual(
        items.filter(({ type }) => type === 'message'),
        ['first', 'one', 'second', 'two', 'third', 'three'].map((text, index) =>
          index % 2 ? assistant(text) : user(text),
        ),
      )
      assert.equal(items.length, 8)
      assert.deepEqual(stage.script.items(4), items.slice(0, -1))
    },
  ),
  loopCase(
    'failing-write',
    'a memory that cannot store one output makes the run fail; the other outputs are stored, and the model is not asked',
    async (run) => {
      const memory = new (class extends JournalMemory {
        override addToolOutput(callId: string, output: string): Promise<void> {
          if (output === 'result of b') return Promise.reject(new Error('no room'))
          return super.addToolOutput(callId, output)
        }
      })()
      const script = new Script([calling('a', 'b', 'c'), 'done'])
      const tools = ['a', 'b', 'c'].map((name) => testTool(name))
      await assert.rejects(run({ memory, script, tools, input: 'go' }))
      const outputs = outputsIn(await memory.items()).map(({ output }) => output)
      assert.deepEqual(outputs.sort(), ['result of a', 'result of c'])
      assert.equal(script.prompts.length, 1, 'the model was asked without the lost output')
    },
  ),
  loopCase(
    'failing-input-write',
    'a memory that cannot store the input makes the run fail: the model is not asked without it',
    async (run) => {
      const memory = new (class extends JournalMemory {
        override addUserInput(): Promise<void> {
          return Promise.reject(new Error('no room'))
        }
      })()
      const script = new Script([calling('a'), 'done'])
      let started = 0
      const tools = [testTool('a', () => `start ${++started}`)]
      await assert.rejects(run({ memory, script, tools, input: 'go' }))
      assert.equal(script.prompts.length, 0, 'the model was asked without the input')
      assert.equal(started, 0)
      assert.deepEqual(await memory.items(), [])
    },
  ),
  loopCase(
    'failing-answer-write',
    'a memory that cannot store an answer makes the run fail: no call of it starts, and the model is not asked again',
    async (run) => {
      const memory = new (class extends JournalMemory {
        override addOutputItems(): Promise<void> {
          return Promise.reject(new Error('no room'))
        }
      })()
      const script = new Script([{ ...calling('a', 'b'), text: 'let me see' }, 'done'])
      let started = 0
      const tools = ['a', 'b'].map((name) => testTool(name, () => `start ${++started}`))
      await assert.rejects(run({ memory, script, tools, input: 'go' }))
      assert.equal(started, 0, 'a tool ran whose call was never stored')
      assert.equal(script.prompts.length, 1, 'the model was asked though its answer was lost')
      assert.deepEqual(await memory.items(), [user('go')])
      // The last answer of a run counts as well: a text that nobody has is no result.
      const last = { memory, script: new Script(['done']), tools: [], input: null }
      await assert.rejects(run(last), 'the run answered a text that was never stored')
    },
  ),
]
