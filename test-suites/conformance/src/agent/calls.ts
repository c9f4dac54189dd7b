import assert from 'node:assert/strict'
import type { AgentItem } from '@holdfast/core'
import { user } from '../memory/expect.ts'
import { type AgentHarness, loopCase } from './agent-harness.ts'
import { calling, type ScriptedToolCall } from './script.ts'
import { assertPaired, callsIn, outputsById, Stage, testTool } from './stage.ts'

/** Each call asks for its own number, and its output must be that number, whatever its id. */
const echo = testTool('echo', ({ n }) => `n=${String(n)}`)

const numbered = (ids: readonly (string | null | undefined)[], from = 0) =>
  ids.map(
    (id, index): ScriptedToolCall => ({
      name: 'echo',
      args: { n: from + index },
      ...(id === undefined ? {} : { id }),
    }),
  )

/** Asserts that every call has an id of its own, and one output, which is its own. */
function assertOwnOutputs(items: readonly AgentItem[], count: number): void {
  const byId = outputsById(items)
  assert.equal(byId.size, count)
  for (const { call_id: id, arguments: args } of callsIn(items)) {
    assert.ok(typeof id === 'string' && id.trim() !== '', `a call id is ${JSON.stringify(id)}`)
    assert.equal(byId.get(id), `n=${JSON.parse(String(args)).n}`, `the output of ${id}`)
  }
}

/** Runs turns of calls with these ids; asserts that all is well in memory and in every prompt. */
async function runIds(
  run: AgentHarness['run'],
  turns: readonly (readonly (string | null | undefined)[])[],
): Promise<AgentItem[]> {
  let count = 0
  const steps = turns.map((ids) => {
    const turn = calling(...numbered(ids, count))
    count += ids.length
    return turn
  })
  const stage = new Stage(run, [...steps, 'done'], [echo])
  await stage.run('go')
  const items = await stage.memory.items()
  assertOwnOutputs(items, count)
  for (const { items: shown } of stage.script.prompts) assertPaired(shown)
  assert.equal(stage.count('start echo'), count, 'each call runs once')
  return items
}

/** Call ids, arguments and what becomes of a call that cannot run. */
export const callCases = [
  loopCase(
    'ids-kept',
    'an id that the model gave, and nobody else has, is kept as it is',
    async (run) => {
      const items = await runIds(run, [['call_a', 'call_b'], ['call_c']])
      assert.deepEqual(
        callsIn(items).map(({ call_id: id }) => id),
        ['call_a', 'call_b', 'call_c'],
      )
    },
  ),
  loopCase(
    'ids-missing',
    'calls without an id, or with a blank one, get ids of their own, each with its own output',
    async (run) => {
      await runIds(run, [
        [undefined, undefined, null],
        ['', ' '],
      ])
    },
  ),
  loopCase(
    'ids-repeated-in-a-batch',
    'two calls of one answer with the same id become two, each with its own output',
    async (run) => {
      await runIds(run, [['same', 'same', 'same', 'other']])
    },
  ),
  loopCase(
    'ids-repeated-each-turn',
    'an endpoint that says call_0 every turn leaves unique ids in the whole memory, over several runs too',
    async (run) => {
      await runIds(run, [['call_0'], ['call_0', 'call_1'], ['call_0'], [undefined], [undefined]])
      const stage = new Stage(
        run,
        [calling(...numbered(['call_0'])), 'one', calling(...numbered(['call_0'], 1)), 'two'],
        [echo],
      )
      await stage.run('first')
      await stage.run('second')
      assertOwnOutputs(await stage.memory.items(), 2)
      for (const { items } of stage.script.prompts) assertPaired(items)
    },
  ),
  loopCase(
    'arguments-handed-on',
    'a tool gets the arguments that the model sent, parsed',
    async (run) => {
      const sent = {
        text: 'zwölf 😀 "\\',
        list: [1, { deep: null }, '7'],
        n: -1.5e-7,
        yes: true,
        // What looks like something else is a text all the same.
        digits: '42',
        zeros: '007',
        word: 'true',
        nothing: 'null',
        json: '{"a":1}',
        date: '2026-01-02',
        blanks: ' kept ',
        empty: '',
      }
      const got: unknown[] = []
      const look = testTool('look', (args) => {
        got.push(JSON.parse(JSON.stringify(args)))
        return 'seen'
      })
      const stage = new Stage(run, [calling({ name: 'look', id: 'c', args: sent }), 'done'], [look])
      await stage.run('go')
      assert.deepEqual(got, [sent])
    },
  ),
  loopCase(
    'bad-arguments',
    'arguments that are no JSON, or no object, become an output that the model sees; the tool does not run',
    async (run) => {
      const bad = ['{"a": 1', 'null', '[1]', '"text"', '7']
      const calls = bad.map((args, index) => ({ name: 'look', id: `c${index}`, args }))
      const stage = new Stage(run, [calling(...calls), 'done'], [testTool('look')])
      assert.equal((await stage.run('go')).text, 'done')
      assert.equal(stage.count('start look'), 0)
      const outputs = outputsById(stage.script.items(2))
      assert.equal(outputs.size, bad.length)
      for (const output of outputs.values()) assert.ok(output, 'the output says nothing')
    },
  ),
  loopCase(
    'unknown-tool',
    'a call of a tool that does not exist becomes an output that the model sees, beside the others; a name that is merely like one is another name',
    async (run) => {
      const unknown = ['nowhere', 'LOOK', 'Look', 'loo', 'look_up', 'toString']
      const stage = new Stage(run, [calling(...unknown, 'look'), 'done'], [testTool('look')])
      assert.equal((await stage.run('go')).text, 'done')
      const outputs = outputsById(stage.script.items(2))
      assert.equal(outputs.get('id of look'), 'result of look')
      for (const name of unknown) {
        assert.ok(outputs.get(`id of ${name}`), `the output of ${name} says nothing`)
      }
      assert.equal(stage.count('start look'), 1, 'a tool ran under a name that is not its own')
    },
  ),
  loopCase(
    'tool-that-throws',
    'what a tool throws becomes an output that the model sees; it is not run again, the others are kept, and the run goes on',
    async (run) => {
      const tools = [
        testTool('throws', () => {
          throw new Error('the disk is full')
        }),
        testTool('rejects', async () => Promise.reject(new Error('the net is down'))),
        testTool('look'),
      ]
      const stage = new Stage(run, [calling('throws', 'rejects', 'look'), 'done'], tools)
      assert.equal((await stage.run('go')).text, 'done')
      const outputs = outputsById(stage.script.items(2))
      assert.match(String(outputs.get('id of throws')), /the disk is full/)
      assert.match(String(outputs.get('id of rejects')), /the net is down/)
      assert.equal(outputs.get('id of look'), 'result of look')
      for (const { name } of tools) assert.equal(stage.count(`start ${name}`), 1, `${name} again`)
    },
  ),
  loopCase(
    'output-texts',
    'a text is stored and shown as it is, however long, nothing as an empty text, anything else as JSON',
    async (run) => {
      const values: Readonly<Record<string, unknown>> = {
        text: ' kept\n"as it is" \u0000😀',
        json: '{"a":1}',
        long: `${'0123456789'.repeat(10_000)} its end`,
        empty: '',
        nothing: undefined,
        none: null,
        zero: 0,
        no: false,
        list: [1, 'a'],
        object: { a: { b: 'ü' } },
      }
      const tools = Object.entries(values).map(([name, value]) => testTool(name, () => value))
      const stage = new Stage(run, [calling(...Object.keys(values)), 'done'], tools)
      await stage.run([user('go')])
      for (const items of [await stage.memory.items(), stage.script.items(2)]) {
        const outputs = outputsById(items)
        for (const [name, value] of Object.entries(values)) {
          const want = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
          assert.equal(outputs.get(`id of ${name}`), want, name)
        }
      }
    },
  ),
]
