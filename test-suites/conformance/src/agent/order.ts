import assert from 'node:assert/strict'
import { assistant, user } from '../memory/expect.ts'
import { loopCase } from './agent-harness.ts'
import { calling } from './script.ts'
import { assertPaired, Stage, testTool, waitFor } from './stage.ts'

/** What is stored when. */
export const orderCases = [
  loopCase(
    'answers-the-last-text',
    'a run answers the text of the last model answer, and stores the input and every answer',
    async (run) => {
      const stage = new Stage(
        run,
        [{ ...calling('look'), text: 'let me see' }, 'done'],
        [testTool('look')],
      )
      assert.equal((await stage.run('hello')).text, 'done')
      const items = await stage.memory.items()
      assert.deepEqual(items[0], user('hello'))
      assert.deepEqual(items[1], assistant('let me see'))
      assert.deepEqual(items.at(-1), assistant('done'))
      assert.equal(items.length, 5)
      assert.equal(stage.script.prompts.length, 2)
    },
  ),
  loopCase(
    'input-before-model',
    'the user input is stored before the first model call',
    async (run) => {
      const stage = new Stage(run, ['done'])
      await stage.run('hello')
      stage.before('stored user hello', 'model 1')
      assert.deepEqual(stage.script.items(1), [user('hello')])
    },
  ),
  loopCase(
    'input-text',
    'an input text is stored and shown as it is, with the blanks around it',
    async (run) => {
      for (const text of ['  indented\n', '\n\tzwölf 😀 ', '{"type":"message"}', '42', '/clear']) {
        const stage = new Stage(run, ['done'])
        await stage.run(text)
        assert.deepEqual(await stage.memory.items(), [user(text), assistant('done')])
        assert.deepEqual(stage.script.items(1), [user(text)])
      }
    },
  ),
  loopCase(
    'input-items',
    'input items are stored as they are; null stores nothing and goes on',
    async (run) => {
      const input = [user('one'), { type: 'note', kept: [1, { deep: 'x' }] }, user('two')]
      const stage = new Stage(run, ['done', 'more'])
      await stage.run(input)
      assert.deepEqual(await stage.memory.items(), [...input, assistant('done')])
      await stage.run(null)
      assert.deepEqual(await stage.memory.items(), [...input, assistant('done'), assistant('more')])
    },
  ),
  loopCase(
    'answer-stored-whole',
    'a model answer is stored in one append, in its own order: reasoning, message, calls',
    async (run) => {
      const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: '…' }
      const turn = { items: [reasoning], text: 'both', ...calling('a', 'b') }
      const stage = new Stage(run, [turn, 'done'], [testTool('a'), testTool('b')])
      await stage.run('go')
      assert.equal(
        stage.journal.filter((it) => it.startsWith('stored') && it.includes('call a')).join(),
        'stored reasoning {"type":"reasoning","id":"rs","summary":[],"encrypted_content":"…"} + assistant both + call a + call b',
      )
      assert.deepEqual((await stage.memory.items())[1], reasoning)
    },
  ),
  loopCase(
    'unknown-items',
    'items of types that the loop does not know are stored and shown as they are, in their places',
    async (run) => {
      const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: { q: 'ü' } }
      const later = { type: 'a type of next year', deep: [1, { a: null }], text: '' }
      const stage = new Stage(
        run,
        [{ items: [search, later], text: 'both', ...calling('look') }, { items: [later] }, 'done'],
        [testTool('look')],
      )
      await stage.run('go')
      const items = await stage.memory.items()
      assert.deepEqual(items.slice(1, 4), [search, later, assistant('both')])
      assert.deepEqual(stage.script.items(2), items.slice(0, 6))
      assert.deepEqual(items.slice(6), [later])
      await stage.run(null)
      assert.deepEqual(stage.script.items(3), items)
    },
  ),
  loopCase(
    'many-steps',
    'a run of 20 steps with calls goes on to the answer of the model',
    async (run) => {
      const steps = Array.from({ length: 20 }, (_, n) => calling({ name: 'look', id: `c${n}` }))
      const stage = new Stage(run, [...steps, 'done'], [testTool('look')])
      assert.equal((await stage.run('go')).text, 'done')
      assert.equal(stage.script.prompts.length, 21)
      assert.equal(stage.count('start look'), 20)
      assert.equal((await stage.memory.items()).length, 42)
    },
  ),
  loopCase('call-before-tool', 'a call is stored before its tool starts', async (run) => {
    const stage = new Stage(run, [calling('look'), 'done'], [testTool('look')])
    await stage.run('go')
    stage.before('call look', 'start look')
  }),
  loopCase(
    'outputs-before-model',
    'every tool output is stored before the next model call, and shown to it',
    async (run) => {
      const slow = testTool('slow', async () => {
        await new Promise((done) => setTimeout(done, 15))
        return 'late'
      })
      const stage = new Stage(run, [calling('slow', 'fast'), 'done'], [slow, testTool('fast')])
      await stage.run('go')
      stage.before('stored output late', 'model 2')
      stage.before('stored output result of fast', 'model 2')
      const prompt = JSON.stringify(stage.script.items(2))
      assert.ok(prompt.includes('late') && prompt.includes('result of fast'))
    },
  ),
  loopCase(
    'stored-as-it-completes',
    'the output of a fast tool is stored while a slow one is still running',
    async (run) => {
      let seen = false
      const stage: Stage = new Stage(
        run,
        [calling('slow', 'fast'), 'done'],
        [
          testTool('slow', async () => {
            seen = await waitFor(() => stage.journal.includes('stored output result of fast'))
            return 'late'
          }),
          testTool('fast'),
        ],
      )
      await stage.run('go')
      assert.ok(seen, `the fast output waited for the slow tool: ${stage.journal.join(', ')}`)
    },
  ),
  loopCase(
    'parallel-tools',
    'the calls of one answer run at the same time, each once, and each leaves one output',
    async (run) => {
      let running = 0
      let most = 0
      const names = ['a', 'b', 'c', 'd', 'e']
      const tools = names.map((name) =>
        testTool(name, async () => {
          most = Math.max(most, ++running)
          await waitFor(() => most === names.length, 500)
          running--
          return `result of ${name}`
        }),
      )
      const stage = new Stage(run, [calling(...names), 'done'], tools)
      await stage.run('go')
      assert.equal(most, names.length, `at most ${most} ran at once`)
      for (const name of names) {
        assert.equal(stage.count(`start ${name}`), 1)
        assert.equal(stage.count(`stored output result of ${name}`), 1)
      }
    },
  ),
  loopCase(
    'outputs-in-call-order',
    'a prompt shows the outputs of parallel calls in the order of the calls, whichever came first',
    async (run) => {
      const tools = ['a', 'b', 'c'].map((name, index) =>
        testTool(name, async () => {
          await new Promise((done) => setTimeout(done, (2 - index) * 15))
          return `result of ${name}`
        }),
      )
      const stage = new Stage(run, [calling('a', 'b', 'c'), 'done'], tools)
      await stage.run('go')
      const shown = stage.script
        .items(2)
        .flatMap(({ type, output }) => (type === 'function_call_output' ? [output] : []))
      assert.deepEqual(shown, ['result of a', 'result of b', 'result of c'])
      assertPaired(stage.script.items(2))
    },
  ),
]
