import { expect, test } from 'vitest'
import {
  type AgentItem,
  type ContextBudget,
  DefaultContextProjector,
  TypeAwareContextProjector,
} from '../../src/index.ts'
import { assistant, call, growthOf, output, reasoning, system, user } from './support.ts'

const byAge = (items: AgentItem[], budget: ContextBudget = {}) =>
  new DefaultContextProjector().project(items, budget)
const byValue = (items: AgentItem[], budget: ContextBudget = {}) =>
  new TypeAwareContextProjector().project(items, budget)
const lengthOf = (items: readonly AgentItem[]) =>
  items.reduce((sum, item) => sum + JSON.stringify(item).length, 0)

test('a well-formed memory is shown as it is', () => {
  const items = [
    system('the summary'),
    user('hi'),
    { ...reasoning('r1'), encrypted_content: 'x' },
    assistant('I look'),
    call('a'),
    call('b'),
    output('a', 'x'),
    output('b', [{ type: 'input_image', image_url: 'data:' }]),
    { type: 'web_search_call', id: 'ws' },
    { type: 'custom_tool_call', call_id: 'c', input: 'text', name: 'f' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'x' },
    { type: 'computer_call', call_id: 'd', id: 'cu' },
    { type: 'computer_call_output', call_id: 'd', output: { type: 'computer_screenshot' } },
    { type: 'mcp_approval_request', id: 'm', name: 'f', server_label: 's', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: 'm', approve: true },
    { type: 'tool_search_call', call_id: 't' },
    { type: 'tool_search_output', call_id: 't' },
    { type: 'unheard_of', data: 1 },
    { type: 'permission_request', call_id: 'q' },
    assistant('done'),
    // The same id in a later turn.
    call('a'),
    output('a', 'y'),
  ]
  for (const { items: shown, report } of [byAge(items), byValue(items)]) {
    expect(shown).toEqual(items)
    expect(report).toEqual({
      itemsBefore: items.length,
      itemsAfter: items.length,
      approxCharsBefore: lengthOf(items),
      approxCharsAfter: lengthOf(items),
      approxTokensAfter: items.reduce(
        (sum, item) => sum + Math.ceil(JSON.stringify(item).length / 4),
        0,
      ),
      dropped: 0,
      truncated: 0,
      repairs: [],
      overBudget: false,
    })
  }
})

test('outputs come in call order, right behind the answer that called', () => {
  const { items, report } = byAge([
    user('go'),
    call('a'),
    call('b'),
    output('b', '2'),
    system('a note'),
    output('a', '1'),
    assistant('ok'),
  ])
  expect(items).toEqual([
    user('go'),
    call('a'),
    call('b'),
    output('a', '1'),
    output('b', '2'),
    system('a note'),
    assistant('ok'),
  ])
  expect(report.repairs).toEqual(['moved: an item to where a model expects it (2)'])
})

test('an output comes before an input message that came first', () => {
  const { items } = byAge([user('go'), call('a'), user('hurry'), output('a', '1')])
  expect(items).toEqual([user('go'), call('a'), output('a', '1'), user('hurry')])
})

test('an open call gets an output that says so', () => {
  const custom = { type: 'custom_tool_call', call_id: 'b', name: 'f', input: '' }
  const { items, report } = byAge([user('go'), call('a'), custom])
  const text = expect.stringContaining('No output yet')
  expect(items.slice(3)).toEqual([
    { type: 'function_call_output', call_id: 'a', output: text },
    { type: 'custom_tool_call_output', call_id: 'b', output: text },
  ])
  expect(report.repairs).toEqual(['added: an output for a call without one (2)'])
})

test('an open call that takes no text is left out, with its reasoning', () => {
  const { items, report } = byAge([
    user('go'),
    reasoning('r'),
    { type: 'computer_call', call_id: 'a', id: 'cu' },
    user('well?'),
  ])
  expect(items).toEqual([user('go'), user('well?')])
  expect(report.repairs).toEqual([
    'left out: a call without an output (1)',
    'left out: reasoning without what followed it (1)',
  ])
})

test('outputs without a call, second outputs, doubled calls and what has no id are left out', () => {
  const { items, report } = byAge([
    output('z', 'no call'),
    user('go'),
    call('a'),
    call('a'),
    output('a', 'first'),
    output('a', 'second'),
    { ...call('b'), call_id: null },
    { ...output('b', 'x'), call_id: 7 },
    { type: 'mcp_approval_request' },
  ])
  expect(items).toEqual([user('go'), call('a'), output('a', 'first')])
  expect(report.repairs).toEqual([
    'left out: an output without a call that waits for it (2)',
    'left out: a call whose id was used again before its output (1)',
    'left out: a call or an output without an id (3)',
  ])
})

test('reasoning stays right before what it led to, or goes', () => {
  const { items, report } = byAge([
    user('go'),
    reasoning('r1'),
    system('note'),
    call('a'),
    reasoning('lost'),
    output('a', 'x'),
    reasoning('tail'),
  ])
  expect(items).toEqual([user('go'), system('note'), reasoning('r1'), call('a'), output('a', 'x')])
  expect(report.repairs).toEqual([
    'moved: an item to where a model expects it (1)',
    'left out: reasoning without what followed it (2)',
  ])
})

test('an answer whose reasoning a window cut off loses the ids by which it would be asked for', () => {
  const rest = [call('a'), output('a', 'x'), assistant('ok')]
  const { items, report } = byAge([{ ...call('a'), id: 'fc_1' }, ...rest.slice(1)])
  expect(items).toEqual(rest)
  expect(report.repairs).toEqual(['left out: the id of an item whose reasoning is not shown (1)'])
})

const turn = (name: string): AgentItem[] => [
  user(name),
  reasoning(`r-${name}`),
  call(name),
  output(name, 'x'.repeat(500)),
  assistant(`${name} done`),
]

test('the default leaves out the oldest, an answer with its calls and outputs together', () => {
  const items = [system('sum'), ...turn('1'), ...turn('2'), user('3')]
  expect(byAge(items, { maxItems: 11 }).items).toEqual([items[0], ...items.slice(2)])
  const { items: shown, report } = byAge(items, { maxItems: 10 })
  expect(shown).toEqual([items[0], ...items.slice(5)])
  expect(report).toMatchObject({ itemsBefore: 12, itemsAfter: 8, dropped: 4, overBudget: false })
})

test('pinned items and the unfinished turn are shown, over the budget if need be', () => {
  const now = [user('3'), call('3'), output('3', 'y'.repeat(900))]
  const items = [system('sum'), user('pinned'), assistant('too'), ...turn('1'), ...now]
  const budget = { maxItems: 2, pinnedPrefixItems: 2, maxRecentToolResults: 0 }
  for (const { items: shown, report } of [byAge(items, budget), byValue(items, budget)]) {
    expect(shown).toEqual([...items.slice(0, 3), ...now])
    expect(report).toMatchObject({ overBudget: true, dropped: 5, truncated: 0 })
  }
  expect(byAge(items, { ...budget, maxItems: 6 }).report.overBudget).toBe(false)
})

test('a prompt is never empty: the newest is shown where every turn is over', () => {
  const items = [...turn('1'), ...turn('2')]
  for (const project of [byAge, byValue]) {
    const { items: shown, report } = project(items, { maxApproxChars: 1 })
    expect(shown).toEqual(items.slice(-1))
    expect(report.overBudget).toBe(true)
  }
  expect(byAge([], { maxItems: 1 }).items).toEqual([])
})

test('a pinned call keeps its output', () => {
  const items = [call('a'), output('a', 'x'), user('1'), assistant('2'), user('3')]
  const { items: shown } = byAge(items, { maxItems: 3, pinnedPrefixItems: 1 })
  expect(shown).toEqual([items[0], items[1], items[4]])
})

test('older tool results are cut, the newest and those of the unfinished turn are not', () => {
  const emoji = `x${'😀'.repeat(300)}`
  const items = [
    user('1'),
    call('a'),
    call('b'),
    call('c'),
    output('a', emoji),
    output('b', [
      { type: 'input_text', text: emoji },
      { type: 'input_image', image_url: `data:${'A'.repeat(900)}` },
    ]),
    output('c', 'short'),
    { type: 'shell_call', call_id: 's' },
    { type: 'shell_call_output', call_id: 's', output: [{ stdout: emoji }] },
    call('d'),
    output('d', emoji),
    assistant('done'),
    user('2'),
    call('e'),
    output('e', emoji),
  ]
  const { items: shown, report } = byAge(items, { maxRecentToolResults: 1 })
  expect(report).toMatchObject({ truncated: 2, dropped: 0, repairs: [] })
  const cut = `x${'😀'.repeat(99)}… (the first of 601 characters)`
  expect(shown[4]).toEqual(output('a', cut))
  expect(shown[5]).toEqual(output('b', cut.replace('601', '615')))
  expect(shown.toSpliced(4, 2)).toEqual(items.toSpliced(4, 2))
})

test('an image in an old output is named', () => {
  const image = { type: 'input_image', image_url: `data:${'A'.repeat(900)}` }
  const items = [user('1'), call('a'), output('a', [image]), assistant('x'), user('2')]
  expect(byAge(items, { maxRecentToolResults: 0 }).items[2]).toEqual(
    output('a', '[input_image]… (the first of 13 characters)'),
  )
})

test('the reasoning of finished turns is left out, with the ids that ask for it', () => {
  const hosted = [reasoning('h'), { type: 'web_search_call', id: 'ws_1' }, assistant('found')]
  const items = [
    user('1'),
    reasoning('r'),
    { ...call('a'), id: 'fc_1' },
    output('a', 'x'),
    ...hosted,
    user('2'),
    reasoning('now'),
    { ...call('b'), id: 'fc_2' },
    output('b', 'x'),
  ]
  const { items: shown, report } = byAge(items, { trimOldReasoning: true })
  expect(shown).toEqual([user('1'), call('a'), output('a', 'x'), ...hosted, ...items.slice(7)])
  const repairs = ['left out: the id of an item whose reasoning is not shown (1)']
  expect(report).toMatchObject({ dropped: 1, repairs })
})

test('by value: reasoning goes first, then outputs are cut, then whole turns, each only as needed', () => {
  const items = [...turn('1'), ...turn('2'), user('3')]
  const all = lengthOf(items)
  const withoutReasoning = items.filter((item) => item['id'] !== 'r-1')
  expect(byValue(items, { maxApproxChars: all }).items).toEqual(items)
  expect(byValue(items, { maxApproxChars: all - 1 }).items).toEqual(withoutReasoning)

  const cut = byValue(items, { maxApproxChars: all - 200 })
  expect(cut.report).toMatchObject({ dropped: 2, truncated: 1, overBudget: false })
  expect(cut.items[2]).toEqual(output('1', `${'x'.repeat(200)}… (the first of 500 characters)`))
  expect(cut.items[6]).toEqual(output('2', 'x'.repeat(500)))

  const { items: shown, report } = byValue(items, { maxItems: 7 })
  expect(shown).toEqual(
    [...turn('2').filter((item) => item.type !== 'reasoning'), user('3')].map((item) =>
      item.type === 'function_call_output'
        ? output('2', `${'x'.repeat(200)}… (the first of 500 characters)`)
        : item,
    ),
  )
  expect(report).toMatchObject({ dropped: 6, overBudget: false })
})

test('by value: the messages of one input go together', () => {
  const items = [user('1'), user('and'), assistant('x'), user('2'), user('and'), assistant('y')]
  expect(byValue([...items, user('3')], { maxItems: 6 }).items).toEqual([
    ...items.slice(3),
    user('3'),
  ])
  expect(byAge([...items, user('3')], { maxItems: 6 }).items).toHaveLength(6)
})

test('tokens are counted as the budget says', () => {
  const items = [...turn('1'), user('2')]
  const countTokens = (text: string) => text.length * 2
  expect(byAge(items, { countTokens }).report.approxTokensAfter).toBe(lengthOf(items) * 2)
  expect(byAge(items, { maxApproxTokens: lengthOf(items) * 2, countTokens }).items).toEqual(items)
  expect(byAge(items, { maxApproxTokens: 60 }).items).toEqual(items.slice(4))
})

test('a count of tokens that is none is refused, and ends no process', async () => {
  const late = Promise.reject(new Error('late'))
  for (const count of [undefined, null, Number.NaN, Infinity, -1, '4', Promise.resolve(4), late]) {
    for (const project of [byAge, byValue]) {
      const budget = { maxApproxTokens: 10, countTokens: () => count as number }
      expect(() => project([user('1')], budget)).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARGUMENT',
          message: expect.stringContaining('countTokens'),
        }),
      )
    }
  }
  expect(byAge([user('1')], { countTokens: () => 0 }).report.approxTokensAfter).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 5))
})

test.each([
  ['DefaultContextProjector', byAge],
  ['TypeAwareContextProjector', byValue],
])('%s: 10,000 items take about as long as ten times 1,000', (name, project) => {
  const budget = { maxApproxChars: 20_000, maxRecentToolResults: 5, trimOldReasoning: true }
  const listOf = (length: number) =>
    Array.from({ length: length / 5 }, (_, index) => turn(`${index}`)).flat()
  const growth = growthOf(listOf, (items) => project(items, budget))
  console.log(`${name}: ${growth.toFixed(2)}`)
  expect(growth).toBeLessThan(4)
})
